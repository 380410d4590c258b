import 'reflect-metadata';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Request, Response } from 'express';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import { noFailpoints, Secret, type MerchantLogin } from '@app/kernel';
import { RequestDeadlines } from '@app/event-store';
import {
  CARD_NUMBER_FIELD,
  fieldsOf,
  GROUP_A_KEYS,
  GROUP_A_OPERATIONS,
  PerformTransferRequest,
  type GroupAOperationKey,
} from '@app/gateway-protocol';
import type { Accounts } from '@app/configuration';
import { HOSTILE_ALPHABETS, leastProcessorMs, seededRandom, VirtualClock } from '@app/testing';
import { failed, type AnyDeviceEndpoint } from './group-b/device-endpoint';
import { GroupBEdge } from './group-b/group-b.edge';
import { FormReading } from './merchant-api/form-reader.guard';
import { OAuthVerifier, type OAuthVerifierPorts } from './merchant-api/oauth/oauth-verifier';
import { RefusalFilter } from './merchant-api/refusal.filter';
import { ControlVerifier } from './merchant-api/sender/control-verifier';
import { SenderGuard } from './merchant-api/sender.guard';
import { SenderVerifier } from './merchant-api/sender/sender-verifier';
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
const forms = new FormReading({ ...shared, watch: { served: shared.onServed, failed: shared.onError } });
const senders = new SenderGuard(
  new SenderVerifier({
    accounts: { entryPoint: () => undefined } as unknown as Accounts,
    nobody,
    controls: new ControlVerifier({ find: () => Promise.resolve(undefined), findOfKind: () => Promise.resolve(undefined) }),
    oauth: new OAuthVerifier({ publicBaseUrl: 'https://gateway.example', nobody, clock } as unknown as OAuthVerifierPorts),
  }),
);
const refusals = new RefusalFilter();
/** What stands before the proof, in its order, and the refusal. */
const groupA = async (request: Request, response: Response, key: GroupAOperationKey): Promise<void> => {
  const context = new ExecutionContextHost([request, response]);
  try {
    await forms.read(GROUP_A_OPERATIONS[key], request, response);
    await senders.canActivate(context);
  } catch (error) {
    refusals.catch(error, context);
  }
};
const groupB = new GroupBEdge({ ...shared, random: seededRandom(), httpErrors: 'always-200' });
const stranger: AnyDeviceEndpoint = {
  name: 'perform-transfer',
  message: PerformTransferRequest,
  prove: () => Promise.resolve(failed('not-authentic', 'INVALID_REQUEST', 'The signature does not fit')),
};

const requestOf = (body: Buffer, headers: Readonly<Record<string, string>>): { request: Request; response: Response } => {
  const request = new IncomingMessage(new Socket());
  request.method = 'POST';
  request.url = '/';
  Object.assign(request, { path: '/', params: { endpointId: '1001' } });
  Object.assign(request.headers, headers);
  request.push(body);
  request.push(null);
  return { request: request as Request, response: new ServerResponse(request) as Response };
};

const cut = (text: string): Buffer => Buffer.from(text).subarray(0, BYTES);
const percentEncoded = (text: string): string => Buffer.from(text).toString('hex').replace(/../g, '%$&');

/** One field whole beside what makes it be looked at, and every field of the message with its share. */
const formsFor = (key: GroupAOperationKey, text: string): readonly Buffer[] => {
  const names = [...new Set([CARD_NUMBER_FIELD, ...fieldsOf(GROUP_A_OPERATIONS[key].message).map(({ name }) => name)])];
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

  it.each(GROUP_A_KEYS.map((key) => [`${GROUP_A_OPERATIONS[key].name} by ${GROUP_A_OPERATIONS[key].proof.kind}`, key] as const))('%s', async (_name, key) => {
    const dear: string[] = [];
    for (const [alphabet, make] of Object.entries(HOSTILE_ALPHABETS)) {
      for (const [place, body] of formsFor(key, make(BYTES)).entries()) {
        const run = (): Promise<void> => {
          const { request, response } = requestOf(body, { 'content-type': FORM });
          return groupA(request, response, key);
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
