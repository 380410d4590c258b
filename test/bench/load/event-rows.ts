import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { NewEvent, StreamName } from '@app/event-store';
import { built } from '../harness/built';

const { streamName } = built<typeof import('@app/event-store')>('libs/event-store/index.js');

/** An event of the size and shape of an accepted recurrent payment, first of its own stream. */
export interface PreparedAppend {
  readonly stream: StreamName;
  readonly event: NewEvent;
}

const SEALED_BYTES = 210;
const TYPE = 'OrderAccepted';

const sealed = (): string => `v1.${randomBytes(15).toString('base64url')}.${randomBytes(SEALED_BYTES).toString('base64url')}`;
const hex = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Made before the clock starts, so that only the store is measured. */
export const prepareAppends = (prefix: string, count: number): readonly PreparedAppend[] =>
  Array.from({ length: count }, (_, number) => {
    const clientOrderId = `${prefix}-${number}`;
    const serial = `00000000-0000-0000-0000-${number.toString(16).padStart(12, '0')}`;
    const data = {
      acceptedAt: 1_767_225_600_000,
      amount: { currency: 'USD', minor: '100042' },
      card: {
        face: { bin: '444433', brand: 'VISA', expiryMonth: 12, expiryYear: 2040, lastFour: '1111' },
        handle: hex('h').slice(0, 22),
        uid: hex('u').slice(0, 20),
      },
      cardRefId: 'aabcdefghijklmnopqrc',
      clientOrderId,
      contentDigest: hex(clientOrderId),
      customer: sealed(),
      details: sealed(),
      endpointId: '1001',
      marks: { initiator: 'MERCHANT', scenario: 'REGULAR' },
      merchant: 'acme',
      orderId: 'rabcdefghijklmnr',
      plan: {
        callbacks: ['callback'],
        gates: [
          {
            alias: 'sim-a',
            descriptor: 'sim-a',
            gateDescriptor: 'sim-a',
            longestFlightMs: 5_000,
            partialCapture: true,
            partialReversal: true,
          },
        ],
        operation: 'sale',
        payerMs: 900_000,
      },
    };
    const metadata = {
      actor: 'acme',
      causation: serial,
      correlation: serial,
      merchant: 'acme',
      previousHash: null,
      recordedAt: 1_767_225_600_000,
      schemaVersion: 1,
    };
    return {
      stream: streamName('recurring', 'acme', clientOrderId),
      event: { id: randomUUID() as string as NewEvent['id'], type: TYPE, data: JSON.stringify(data), metadata: JSON.stringify(metadata) },
    };
  });
