import 'reflect-metadata';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { ArgumentsHost, ExecutionContext } from '@nestjs/common';
import { noFailpoints, Secret, type MerchantLogin } from '@app/kernel';
import type { Accounts } from '@app/configuration';
import { RequestDeadlines } from '@app/event-store';
import { HOSTILE_ALPHABETS, timesOfYardstick, seededRandom, VirtualClock } from '@app/testing';
import { BodyGuard, DecoyKeys, RefusalFilter } from '@app/http/request';
import { TransferController } from '@app/transfer/http/transfer.controller';
import { type SessionVerifier, SignatureVerifier, SessionOrSignatureGuard } from '@app/http/group-b';

/** 20 ms if the reference takes 7 ms. */
const BOUND_TIMES = 3;
const BYTES = 65_536;
const clock = new VirtualClock();
const served: string[] = [];

/** No entry point exists: an unauthenticated caller can name any number of them. */
const accounts = { entryPoint: () => undefined } as unknown as Accounts;
const unknownMerchants = new DecoyKeys({
  merchants: [
    {
      login: 'acme' as MerchantLogin,
      controlKey: new Secret('ab'.repeat(16)),
      formerControlKey: { key: new Secret('cd'.repeat(16)), notAfter: '9999-12-31T23:59:59.000Z' },
      rebillControl: 'either',
    },
  ],
});
const guards = [
  new BodyGuard({
    serials: { next: () => '00000000-0000-0000-0000-000000000001' },
    clock,
    random: seededRandom(),
    failpoints: noFailpoints,
    deadlines: new RequestDeadlines(clock, clock),
    configuration: { groupB: { httpErrors: 'always-200' } },
    listener: {
      served: ({ outcome }) => void served.push(outcome),
      failed: (_request, error) => {
        throw error;
      },
    },
  }),
  new SessionOrSignatureGuard(new SignatureVerifier(accounts, unknownMerchants), {} as SessionVerifier),
];
const filter = new RefusalFilter();

const refuse = async (body: Buffer, invoiceId: string): Promise<void> => {
  const request = Object.assign(new IncomingMessage(new Socket()), { method: 'POST', url: '/', params: { endpointId: '1001', invoiceId } });
  request.push(body);
  request.push(null);
  const args: readonly unknown[] = [request, new ServerResponse(request)];
  const handler = Object.getOwnPropertyDescriptor(TransferController.prototype, 'performTransfer')?.value as unknown;
  const context = { getArgByIndex: (index: number) => args[index], getHandler: () => handler } as unknown as ExecutionContext &
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

it('rejecting an unauthenticated 64 KiB request costs at most three times the 7 ms processor time reference', async () => {
  const tooExpensive: string[] = [];
  for (const [alphabet, make] of Object.entries(HOSTILE_ALPHABETS)) {
    const text = make(BYTES / 4);
    const invoiceId = make(8_192);
    for (const [index, body] of bodiesFor(text).entries()) {
      const timesMax = BOUND_TIMES * Math.max(1, body.byteLength / BYTES);
      const run = (): Promise<void> => refuse(body, invoiceId);
      if ((await timesOfYardstick(run, timesMax)) > timesMax) tooExpensive.push(`${alphabet}, body ${index}`);
    }
  }
  expect(tooExpensive).toStrictEqual([]);
  expect(served.length).toBeGreaterThan(0);
  expect(new Set(served)).not.toContain('answered');
});
