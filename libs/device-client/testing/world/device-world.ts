import { Secret, type Scheduled } from '@app/kernel';
import { eventually, seededRandom, VirtualClock } from '@app/testing';
import * as parties from '..';
import {
  DeviceClient,
  type DeviceClientSettings,
  type DeviceSession,
  type Outcome,
  type SaleOrder,
  type TransferOrder,
  type VerificationOrder,
} from '../..';

export const NUMBER = '4444333322221111';
export const OTHER_NUMBER = '5555444433331111';
export const EMAIL = 'jane@example.com';
export const SERIAL = 'phone-1';

export const card = {
  number: new Secret(NUMBER),
  securityCode: new Secret('123'),
  expiry: { month: 12, year: 2035 },
  holder: { printedName: 'JANE DOE' },
};
export const verification: VerificationOrder = { operation: 'verification', currency: 'USD', email: EMAIL, card };
export const sale: SaleOrder = { operation: 'sale', currency: 'USD', amountCentis: 1_042n, email: EMAIL, source: { card } };
export const transfer: TransferOrder = {
  operation: 'transfer',
  currency: 'USD',
  amountCentis: 1_042n,
  email: EMAIL,
  source: { reference: { clientCardId: parties.SOURCE_CLIENT_CARD_ID } },
  destination: { card: { number: new Secret(OTHER_NUMBER) } },
  fromBin: '444433',
  toBin: '555544',
};

export const TIMEOUT_MS = 15_000;

/** Stops during an exchange, because sockets need real time. */
class DeviceTime extends VirtualClock {
  #exchanges = 0;
  readonly waitedMs: number[] = [];

  override after(delayMs: number, run: () => void): Scheduled {
    const scheduled = super.after(delayMs, run);
    if (delayMs !== TIMEOUT_MS) {
      this.waitedMs.push(delayMs);
      return scheduled;
    }
    this.#exchanges += 1;
    return {
      cancel: () => {
        this.#exchanges -= 1;
        scheduled.cancel();
      },
    };
  }

  async until<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false;
    const end = () => (isDone = true);
    work.then(end, end);
    await eventually(async () => {
      if (!isDone && this.#exchanges === 0) await this.advance(STEP_MS);
      return isDone;
    });
    return work;
  }
}

export const STEP_MS = 250;

export interface World {
  readonly session: DeviceSession;
  readonly client: DeviceClient;
  readonly both: parties.ScriptedParties;
  readonly clock: DeviceTime;
}

interface Closable {
  close(): Promise<void>;
}
const opened: Closable[] = [];
export const closeLater = (...more: readonly Closable[]): void => {
  opened.push(...more);
};
export const closeWorlds = async (): Promise<void> => {
  await Promise.all(opened.splice(0).map((one) => one.close()));
};

export const world = async (script: parties.Script = {}, settings: Partial<DeviceClientSettings> = {}): Promise<World> => {
  const both = await parties.ScriptedParties.open(script);
  const clock = new DeviceTime();
  const client = new DeviceClient({
    gatewayUrl: both.gateway.url,
    merchantUrl: both.merchant.url,
    device: { serialNumber: SERIAL },
    answerTimeoutMs: TIMEOUT_MS,
    clock,
    scheduler: clock,
    random: seededRandom(),
    ...settings,
  });
  closeLater(client, both);
  return { client, both, clock, session: client.session(new Secret(parties.ACCESS_TOKEN)) };
};

export const bodyOf = (call: parties.ReceivedCall | undefined): unknown => JSON.parse(call?.body ?? 'null');
export const valueOf = <Value>(outcome: Outcome<Value>): Value => {
  if (outcome.kind !== 'answered') throw new Error(`not answered: ${outcome.kind}`);
  return outcome.value;
};
