import { DeviceClient, type DeviceOrder, type DeviceSession, type Transaction, type Transport } from '@app/device-client';
import type { TransferFee } from '@app/gateway-protocol';
import { Secret, sleep } from '@app/kernel';
import type { VirtualClock } from '@app/testing';
import { TEST_CARD_NUMBER } from '../../support/merchants/signed-requests';
import type { BackOffice } from './back-office';
import { recordOf, type DeviceRecord } from './device-records';
import { ForgingApp } from './forging-app';
import { WITHDRAWN } from './gate-ledger';
import { CHOOSING_CURRENCY } from './installation';
import type { KeyedChance } from './keyed-chance';
import { ConnectionLost, PUBLIC_ORIGIN, type Network } from './network';
import type { PayerActor } from './payer-actor';

const DESTINATION_NUMBER = '5555444433331111';
const AGAIN_MS = [2_000, 10_000, 30_000, 60_000] as const;
const TRIES_MAX = 100;
const ANSWER_TIMEOUT_MS = 15_000;

export interface DeviceActorSettings {
  readonly time: VirtualClock;
  readonly chance: KeyedChance;
  readonly network: Network;
  readonly merchantUrl: string;
  readonly payer: PayerActor;
  readonly backOffice: BackOffice;
}

const phoneOf = (app: number): string => `phone-${Math.floor(app / 2)}`;

const card = (number: string) => ({
  number: new Secret(number),
  securityCode: new Secret('123'),
  expiry: { month: 12, year: 2035 },
  holder: { printedName: 'JANE DOE' },
});

export class DeviceActor {
  readonly records: DeviceRecord[] = [];

  readonly #forging: ForgingApp;
  readonly #performed = new Map<string, string>();
  readonly #sums = new Map<string, Set<number>>();

  constructor(private readonly settings: DeviceActorSettings) {
    this.#forging = new ForgingApp(settings);
  }

  get isAtRest(): boolean {
    return this.records.every(({ isOver }) => isOver);
  }

  begin(count: number, withinMs: number): void {
    const { time, chance } = this.settings;
    for (let number = 0; number < count; number++) {
      const device = `app-${number}`;
      const record = recordOf(device, number, this.#orderOf(device, phoneOf(number)));
      this.records.push(record);
      time.after(chance.between(0, withinMs, 'device.begins', device), () => void this.#run(record));
    }
  }

  #orderOf(device: string, phone: string): DeviceOrder {
    const common = { currency: 'USD', email: `${phone}@example.com` } as const;
    const kind = this.settings.chance.pick(['verification', 'sale', 'transfer'] as const, 'device.kind', device);
    if (kind === 'verification') return { ...common, operation: kind, card: card(TEST_CARD_NUMBER) };
    const amountCentis = BigInt(this.settings.chance.between(1, 50_000, 'device.amount', device));
    if (kind === 'sale') return { ...common, operation: kind, amountCentis, source: { card: card(TEST_CARD_NUMBER) } };
    const destination = { card: { number: new Secret(DESTINATION_NUMBER) } };
    const currency = this.settings.chance.happens(0.5, 'device.chooses-fee', device) ? CHOOSING_CURRENCY : common.currency;
    return { ...common, currency, operation: kind, amountCentis, source: { card: card(TEST_CARD_NUMBER) }, destination };
  }

  async #run(record: DeviceRecord): Promise<void> {
    const session = await this.#signedIn(record);
    if (session !== undefined) {
      await this.#ordered(session, record);
      if (record.finals[0] === 'APPROVED' && this.settings.chance.happens(0.5, 'device.again', record.device))
        await this.#again(session, record);
      if (record.finals[0] === 'APPROVED') await this.settings.backOffice.mayGiveBack(record);
    }
    record.isOver = true;
  }

  async #again(session: DeviceSession, first: DeviceRecord): Promise<void> {
    const { device, number, order, invoices } = first;
    const clientCardId = await this.#cardNamed(session, invoices.at(-1) ?? '');
    if (clientCardId === undefined) return;
    const amountCentis = BigInt(this.settings.chance.between(1, 50_000, 'device.amount-again', device));
    const source = { reference: { clientCardId, securityCode: new Secret('123') } };
    const sale = { operation: 'sale', currency: order.currency, email: order.email, amountCentis, source } as const;
    const sumTold = order.operation === 'verification' ? await this.#tellsSum(session, first) : undefined;
    const again = recordOf(`${device} again`, number, sale, sumTold);
    this.records.push(again);
    await this.#ordered(session, again);
    again.isOver = true;
  }

  sumsToldBy({ number }: DeviceRecord): ReadonlySet<number> {
    return this.#sumsOf(number);
  }

  #sumsOf(number: number): Set<number> {
    const phone = phoneOf(number);
    const sums = this.#sums.get(phone) ?? new Set<number>();
    this.#sums.set(phone, sums);
    return sums;
  }

  async #tellsSum(session: DeviceSession, { device, number, invoices }: DeviceRecord): Promise<DeviceRecord['sumTold']> {
    const invoiceId = invoices.at(-1) ?? '';
    const { chance } = this.settings;
    const sum = Number(WITHDRAWN.minor) + (chance.happens(0.3, 'device.misreads-sum', device) ? 1 : 0);
    this.#sumsOf(number).add(sum);
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const told = await session.tellRandomSum(invoiceId, sum);
      if (told.kind === 'answered') return { sum, invoiceId };
      if (told.kind === 'refused' && told.cause === 'INVALID_REQUEST') return undefined;
      await this.#pause(tries);
    }
    return undefined;
  }

  async #cardNamed(session: DeviceSession, invoiceId: string): Promise<string | undefined> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const named = await session.clientIds(invoiceId);
      if (named.kind === 'answered') return named.value.sourceCard?.reference.clientCardId;
      if (named.kind === 'refused' && named.cause === 'INVALID_REQUEST') return undefined;
      await this.#pause(tries);
    }
    return undefined;
  }

  async #signedIn({ device, number, order }: DeviceRecord): Promise<DeviceSession | undefined> {
    const { time, chance, merchantUrl } = this.settings;
    const client = new DeviceClient({
      gatewayUrl: PUBLIC_ORIGIN,
      merchantUrl,
      device: { serialNumber: phoneOf(number) },
      answerTimeoutMs: ANSWER_TIMEOUT_MS,
      transport: this.#transport(),
      clock: time,
      scheduler: time,
      random: chance.randomOf(device),
    });
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const signedIn = await client.signIn({ email: order.email });
      if (signedIn.kind === 'answered') return signedIn.value;
      await this.#pause(tries);
    }
    return undefined;
  }

  /** A careful app: it never performs under a second invoice while the first may have been accepted. */
  async #ordered(session: DeviceSession, record: DeviceRecord): Promise<void> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const invoice = await session.initiate(record.order);
      if (invoice.kind !== 'answered') {
        await this.#pause(tries);
        continue;
      }
      record.invoices.push(invoice.value.invoiceId);
      for (let performs = 0; performs < TRIES_MAX; performs++) {
        const performed = await session.perform(record.order, invoice.value);
        if (performed.kind === 'answered') {
          record.accepted.push(performed.value);
          void this.#forging.mayForge(record.device, this.#performed.get(performed.value.invoiceId) ?? '', performed.value);
          return this.#followed(session, record, performed.value);
        }
        if (performed.kind === 'refused' && performed.cause !== 'INTERNAL_ERROR') break;
        await this.#pause(performs);
      }
    }
  }

  async #followed(session: DeviceSession, record: DeviceRecord, transaction: Transaction): Promise<void> {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const ending = await session.follow(transaction, {
        chooseFee: (fees) => this.#choose(record, fees),
        onRedirect: async (url) => void (await this.settings.payer.acts(record.device, url)),
      });
      if (ending.kind === 'final') {
        record.finals.push(ending.status.state);
        record.sumChecked.add(ending.status.randomSumAuthStatus);
      }
      if (ending.kind === 'refused' && ending.cause !== 'INTERNAL_ERROR') record.finals.push(ending.cause);
      if (record.finals.length > 1) return;
      await this.#pause(tries);
    }
  }

  #choose(record: DeviceRecord, fees: readonly TransferFee[]): TransferFee | undefined {
    const { chance } = this.settings;
    const { device } = record;
    record.fee ??=
      chance.happens(0.2, 'device.chooses-none', device) || fees.length === 0 ? 'none' : chance.pick(fees, 'device.fee', device);
    const { fee } = record;
    return fee === 'none' ? undefined : fees.find(({ assignedId }) => assignedId === fee.assignedId);
  }

  #pause(tries: number): Promise<void> {
    return sleep(this.settings.time, AGAIN_MS[Math.min(tries, AGAIN_MS.length - 1)] ?? 0);
  }

  #transport(): Transport {
    const { network } = this.settings;
    return {
      send: async ({ method, url, body }) => {
        this.#performed.set(new URL(url).pathname.split('/').at(-1) ?? '', body ?? '');
        try {
          const headers = { accept: 'application/json', 'content-type': 'application/json;charset=utf-8' };
          const answer = await network.send(url, { method, headers, body: body ?? '' });
          return { kind: 'received', httpStatus: answer.status, body: Buffer.from(answer.body) };
        } catch (error) {
          if (!(error instanceof ConnectionLost)) throw error;
          return { kind: 'no-answer', reason: 'connection-lost' };
        }
      },
      close: () => Promise.resolve(),
    };
  }
}
