import type { DeviceOrder, Transaction } from '@app/device-client';
import { sleep } from '@app/kernel';
import type { VirtualClock } from '@app/testing';
import type { KeyedChance } from './keyed-chance';
import { ConnectionLost, type Network } from './network';

export interface ForgingAppSettings {
  readonly time: VirtualClock;
  readonly chance: KeyedChance;
  readonly network: Network;
  readonly merchantUrl: string;
}

const FORGING_SHARE = 0.25;
const TRIES = 8;
const GAP_MS_MAX = 2_000;
export const FORGED_CARD = 'notACardOfThisConsumer00';

interface Performed {
  readonly consumer: { readonly device: { readonly serialNumber: string } };
  readonly session: { readonly accessToken: string; readonly nonce: string };
}

const forgedMapping = (operation: DeviceOrder['operation'], { consumer, session }: Performed, token: string): string => {
  const { serialNumber } = consumer.device;
  const { accessToken, nonce } = session;
  const common = { consumer: { device: { serialNumber } }, session: { accessToken, nonce, token } };
  const reference = { serverCardId: FORGED_CARD, uniqueReferenceCardId: 424_242_421 };
  const sourceCard = { bin: 444_433, reference };
  if (operation === 'verification') return JSON.stringify({ ...common, reference, sourceCard: { bin: sourceCard.bin } });
  return JSON.stringify({ ...common, sourceCard, ...(operation === 'transfer' && { destinationCard: sourceCard }) });
};

/** When its own order is accepted, it sends the merchant server a card of its choice in the gateway's name. */
export class ForgingApp {
  constructor(private readonly settings: ForgingAppSettings) {}

  async mayForge(device: string, performed: string, { operation, token }: Transaction): Promise<void> {
    const { time, chance, network, merchantUrl } = this.settings;
    if (!chance.happens(FORGING_SHARE, 'device.forges', device)) return;
    const body = forgedMapping(operation, JSON.parse(performed) as Performed, token);
    for (let tries = 0; tries < TRIES; tries++) {
      await sleep(time, chance.between(1, GAP_MS_MAX, 'device.forges-ms', device));
      try {
        const headers = { accept: 'application/json', 'content-type': 'application/json;charset=utf-8' };
        await network.send(`${merchantUrl}/${operation}/notification?by=${device}`, { method: 'POST', headers, body });
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
      }
    }
  }
}
