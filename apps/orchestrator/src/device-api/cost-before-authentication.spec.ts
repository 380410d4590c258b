import 'reflect-metadata';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { ArgumentsHost, ExecutionContext } from '@nestjs/common';
import { noFailpoints, Secret, type MerchantLogin } from '@app/kernel';
import type { Accounts } from '@app/configuration';
import { RequestDeadlines } from '@app/event-store';
import { HOSTILE_ALPHABETS, leastProcessorMs, seededRandom, VirtualClock } from '@app/testing';
import { KeysOfUnknownMerchants } from '../request/unknown-merchants/keys-of-unknown-merchants';
import { TransferController } from '../transfer/transfer.controller';
import { BodyReader, BodyReading } from './body-reader.guard';
import { DeviceRefusalFilter } from './device-refusal.filter';
import type { DeviceSessions } from './device-sessions';
import { DeviceSignatures } from './device-signatures';
import { MessageGuard } from './message.guard';
import { SessionOrSignatureGuard } from './session-or-signature.guard';

const BOUND_MS = 20;
const BYTES = 65_536;
const clock = new VirtualClock();
const served: string[] = [];

/** Nobody's entry point: a stranger finds any number of them. */
const accounts = { entryPoint: () => undefined } as unknown as Accounts;
const unknownMerchants = new KeysOfUnknownMerchants({
  merchants: [{ login: 'acme' as MerchantLogin, controlKey: new Secret('ab'.repeat(16)), rebillControl: 'either' }],
});
const guards = [
  new BodyReader(
    new BodyReading({
      serials: { next: () => '00000000-0000-0000-0000-000000000001' },
      random: seededRandom(),
      failpoints: noFailpoints,
      deadlines: new RequestDeadlines(clock, clock),
      configuration: { groupB: { httpErrors: 'always-200' } },
      watch: {
        served: ({ outcome }) => void served.push(outcome),
        failed: (_request, error) => {
          throw error;
        },
        signatureAmbiguous: () => undefined,
      },
    }),
  ),
  new MessageGuard(clock, noFailpoints),
  new SessionOrSignatureGuard(new DeviceSignatures(accounts, unknownMerchants), {} as DeviceSessions),
];
const filter = new DeviceRefusalFilter();

/** A transfer, as Nest hands it from guard to guard until one of them refuses it. */
const refuse = async (body: Buffer, invoiceId: string): Promise<void> => {
  const request = Object.assign(new IncomingMessage(new Socket()), { method: 'POST', url: '/', params: { endpointId: '1001', invoiceId } });
  request.push(body);
  request.push(null);
  const given: readonly unknown[] = [request, new ServerResponse(request)];
  const handler = Object.getOwnPropertyDescriptor(TransferController.prototype, 'performTransfer')?.value as unknown;
  const context = { getArgByIndex: (index: number) => given[index], getHandler: () => handler } as unknown as ExecutionContext &
    ArgumentsHost;
  try {
    for (const guard of guards) await guard.canActivate(context);
  } catch (error) {
    filter.catch(error, context);
  }
};

const cut = (text: string): Buffer => Buffer.from(text).subarray(0, BYTES);
const card = (text: string): object => ({ number: text });
const bodiesFor = (text: string): readonly Buffer[] => {
  const share = text.slice(0, text.length / 8);
  return [
    cut(text),
    Buffer.from(JSON.stringify({ sourceCard: card(text) })),
    Buffer.from(JSON.stringify([share, share, share, share].map(card))),
    Buffer.from(JSON.stringify(text.match(/.{1,32}/gsu)?.map(card) ?? [])),
    Buffer.from(JSON.stringify({ consumer: { email: share, device: { serialNumber: share } }, session: { accessToken: share } })),
  ];
};

it('a device that has not proved who it is costs at most 20 ms of a processor for 64 KiB', async () => {
  const dear: string[] = [];
  for (const [alphabet, make] of Object.entries(HOSTILE_ALPHABETS)) {
    const text = make(BYTES / 4);
    const invoiceId = make(8_192);
    for (const [place, body] of bodiesFor(text).entries()) {
      const boundMs = BOUND_MS * Math.max(1, body.byteLength / BYTES);
      const run = (): Promise<void> => refuse(body, invoiceId);
      if ((await leastProcessorMs(run, boundMs)) > boundMs) dear.push(`${alphabet} at place ${place}`);
    }
  }
  expect(dear).toStrictEqual([]);
  expect(served.length).toBeGreaterThan(0);
  expect(new Set(served)).not.toContain('answered');
});
