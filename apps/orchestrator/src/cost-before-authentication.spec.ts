import 'reflect-metadata';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Request, Response } from 'express';
import { noFailpoints, Secret, type MerchantLogin } from '@app/kernel';
import { RequestDeadlines } from '@app/event-store';
import { CARD_NUMBER_FIELD, fieldsOf, PerformTransferRequest } from '@app/gateway-protocol';
import type { Accounts } from '@app/configuration';
import { HOSTILE_ALPHABETS, leastProcessorMs, seededRandom, VirtualClock } from '@app/testing';
import { groupAOperations, type GroupAParts } from './composition/group-a-operations';
import { GroupAEdge } from './merchant-api/group-a.exchange';
import type { IdempotencyKeys } from './merchant-api/idempotency/idempotency-keys';
import { OAuthVerifier, type OAuthVerifierPorts } from './merchant-api/oauth/oauth-verifier';
import type { GroupAOperation } from './merchant-api/answers/answer';
import { failed, type AnyDeviceEndpoint } from './group-b/device-endpoint';
import { GroupBEdge } from './group-b/group-b.edge';
import { KeysOfUnknownMerchants } from './request/unknown-merchants/keys-of-unknown-merchants';

const BOUND_MS = 20;
const BYTES = 65_536;
const SERIAL = '00000000-0000-0000-0000-000000000001';
const FORM = 'application/x-www-form-urlencoded';

const clock = new VirtualClock();
const served: string[] = [];
const shared = {
  clock,
  failpoints: noFailpoints,
  serials: { next: () => SERIAL },
  deadlines: new RequestDeadlines(clock, clock),
  rateLimit: { admit: () => Promise.reject(new Error('nobody proved to be a merchant')), close: () => Promise.resolve() },
  onServed: ({ outcome }: { readonly outcome: string }) => void served.push(outcome),
  onError: (_request: object, error: unknown) => {
    throw error;
  },
};

const nobody = new KeysOfUnknownMerchants({
  merchants: [{ login: 'acme' as MerchantLogin, controlKey: new Secret('ab'.repeat(16)), rebillControl: 'either' }],
});

/** Nobody's entry point: a stranger finds any number of them. */
const groupA = new GroupAEdge({
  ...shared,
  accounts: { entryPoint: () => undefined } as unknown as Accounts,
  nobody,
  oauth: new OAuthVerifier({ publicBaseUrl: 'https://gateway.example', nobody, clock } as unknown as OAuthVerifierPorts),
  idempotencyKeys: {} as IdempotencyKeys,
});
const groupB = new GroupBEdge({ ...shared, random: seededRandom(), httpErrors: 'always-200' });
const stranger: AnyDeviceEndpoint = {
  name: 'perform-transfer',
  message: PerformTransferRequest,
  prove: () => Promise.resolve(failed('not-authentic', 'INVALID_REQUEST', 'The signature does not fit')),
};
const operations = Object.values(groupAOperations({ intake: {} } as GroupAParts)) as readonly GroupAOperation<object>[];

const requestOf = (body: Buffer, headers: Readonly<Record<string, string>>): { request: Request; response: Response } => {
  const request = new IncomingMessage(new Socket());
  request.method = 'POST';
  request.url = '/';
  Object.assign(request.headers, headers);
  request.push(body);
  request.push(null);
  return { request: request as Request, response: new ServerResponse(request) as Response };
};

const cut = (text: string): Buffer => Buffer.from(text).subarray(0, BYTES);
const percentEncoded = (text: string): string => Buffer.from(text).toString('hex').replace(/../g, '%$&');

/** One field whole beside what makes it be looked at, and every field of the message with its share. */
const formsFor = ({ message }: GroupAOperation<object>, text: string): readonly Buffer[] => {
  const names = [...new Set([CARD_NUMBER_FIELD, ...fieldsOf(message).map(({ name }) => name)])];
  const share = text.slice(0, text.length / names.length);
  return [
    cut(`client_orderid=a&amount=1&${CARD_NUMBER_FIELD}=${text}`),
    cut(`client_orderid=${text}`),
    cut(names.map((name) => `${name}=${share}`).join('&')),
    cut(names.map((name) => `${name}=${percentEncoded(share)}`).join('&')),
  ];
};

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

const withinBound = async (run: () => Promise<void>, bytes: number): Promise<boolean> => {
  const boundMs = BOUND_MS * Math.max(1, bytes / BYTES);
  return (await leastProcessorMs(run, boundMs)) <= boundMs;
};

describe('who has not proved who he is costs at most 20 ms of a processor for 64 KiB', () => {
  afterEach(() => {
    expect(served.length).toBeGreaterThan(0);
    expect(new Set(served)).not.toContain('answered');
    served.length = 0;
  });

  it.each(operations.map((operation) => [`${operation.name} by ${operation.proof.kind}`, operation] as const))('%s', async (_name, operation) => {
    const dear: string[] = [];
    for (const [alphabet, make] of Object.entries(HOSTILE_ALPHABETS)) {
      for (const [place, body] of formsFor(operation, make(BYTES)).entries()) {
        const run = (): Promise<void> => {
          const { request, response } = requestOf(body, { 'content-type': FORM });
          return groupA.serve(request, response, 'endpoint', '1001', operation);
        };
        if (!(await withinBound(run, body.byteLength))) dear.push(`${alphabet} at place ${place}`);
      }
    }
    expect(dear).toStrictEqual([]);
  }); // prettier-ignore

  it('a device', async () => {
    const dear: string[] = [];
    for (const [alphabet, make] of Object.entries(HOSTILE_ALPHABETS)) {
      const text = make(BYTES / 4);
      const invoiceId = make(8_192);
      for (const [place, body] of bodiesFor(text).entries()) {
        const run = (): Promise<void> => {
          const { request, response } = requestOf(body, {});
          return groupB.serve(request, response, { endpointId: '1001', invoiceId }, stranger);
        };
        if (!(await withinBound(run, body.byteLength))) dear.push(`${alphabet} at place ${place}`);
      }
    }
    expect(dear).toStrictEqual([]);
  });
});
