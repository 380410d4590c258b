import 'reflect-metadata';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Request, Response } from 'express';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host';
import { noFailpoints, Secret, type MerchantLogin } from '@app/kernel';
import { RequestDeadlines } from '@app/event-store';
import { CARD_NUMBER_FIELD, fieldsOf, GROUP_A_KEYS, GROUP_A_OPERATIONS, type GroupAOperationKey } from '@app/gateway-protocol';
import type { Accounts } from '@app/configuration';
import { HOSTILE_ALPHABETS, seededRandom, timesOfYardstick, VirtualClock } from '@app/testing';
import { OAuthVerifier, type OAuthVerifierPorts } from './oauth-verifier';
import { ControlVerifier } from './control-verifier';
import { GroupAOperation, SenderGuard, SenderVerifier } from './group-a-operation.decorator';
import { BodyGuard } from '../request/body.guard';
import { RefusalFilter } from '../request/served-by.decorator';
import { DecoyKeys } from '../request/decoy-keys';

/** 20 ms if the baseline takes 7. */
const BOUND_TIMES = 3;
const BYTES = 65_536;
const SERIAL = '00000000-0000-0000-0000-000000000001';
const FORM = 'application/x-www-form-urlencoded';

const clock = new VirtualClock();
const served: string[] = [];
const bodies = new BodyGuard({
  clock,
  random: seededRandom(),
  failpoints: noFailpoints,
  serials: { next: () => SERIAL },
  deadlines: new RequestDeadlines(clock, clock),
  configuration: { groupB: { httpErrors: 'always-200' } },
  listener: {
    served: ({ outcome }) => void served.push(outcome),
    failed: (_request, error) => {
      throw error;
    },
  },
});

const decoyKeys = new DecoyKeys({
  merchants: [
    {
      login: 'acme' as MerchantLogin,
      controlKey: new Secret('ab'.repeat(16)),
      formerControlKey: { key: new Secret('cd'.repeat(16)), notAfter: '9999-12-31T23:59:59.000Z' },
      rebillControl: 'either',
    },
  ],
});

const senders = new SenderGuard(
  new SenderVerifier({
    accounts: { entryPoint: () => undefined } as unknown as Accounts,
    decoyKeys,
    controls: new ControlVerifier({ find: () => Promise.resolve(undefined), findOfKind: () => Promise.resolve(undefined) }),
    oauth: new OAuthVerifier({ publicBaseUrl: 'https://gateway.example', decoyKeys, clock } as unknown as OAuthVerifierPorts),
    clock,
  }),
);
const refusals = new RefusalFilter();
const refuse = async (request: Request, response: Response, key: GroupAOperationKey): Promise<void> => {
  const handler = (): void => undefined;
  (GroupAOperation(key) as MethodDecorator)({}, key, { value: handler });
  const context = new ExecutionContextHost([request, response], undefined, handler);
  try {
    await bodies.canActivate(context);
    await senders.canActivate(context);
  } catch (error) {
    refusals.catch(error, context);
  }
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

/** Operations with the same proof refuse a form of one or two fields in the same way, so the first of them stands for all. */
const isFirstOfItsProof = (key: GroupAOperationKey): boolean => {
  const { kind } = GROUP_A_OPERATIONS[key].proof;
  return key === GROUP_A_KEYS.find((other) => GROUP_A_OPERATIONS[other].proof.kind === kind);
};

const formsFor = (key: GroupAOperationKey, text: string): readonly Buffer[] => {
  const names = [...new Set([CARD_NUMBER_FIELD, ...fieldsOf(GROUP_A_OPERATIONS[key].message).map(({ name }) => name)])];
  const share = text.slice(0, text.length / names.length);
  return [
    ...(isFirstOfItsProof(key) ? [cut(`client_orderid=a&amount=1&${CARD_NUMBER_FIELD}=${text}`), cut(`client_orderid=${text}`)] : []),
    cut(names.map((name) => `${name}=${share}`).join('&')),
    cut(names.map((name) => `${name}=${percentEncoded(share)}`).join('&')),
  ];
};

const withinBound = async (run: () => Promise<void>, bytes: number): Promise<boolean> => {
  const timesMax = BOUND_TIMES * Math.max(1, bytes / BYTES);
  return (await timesOfYardstick(run, timesMax)) <= timesMax;
};

describe('an unauthenticated request of 64 KiB uses at most three times the reference of 7 ms of processor time (safety, B22)', () => {
  afterEach(() => {
    expect(served.length).toBeGreaterThan(0);
    expect(new Set(served)).not.toContain('answered');
    served.length = 0;
  });

  it.each(GROUP_A_KEYS.map((key) => [`${GROUP_A_OPERATIONS[key].name} by ${GROUP_A_OPERATIONS[key].proof.kind}`, key] as const))('%s', async (_name, key) => {
    const tooCostly: string[] = [];
    for (const [alphabet, make] of Object.entries(HOSTILE_ALPHABETS)) {
      for (const [index, body] of formsFor(key, make(BYTES)).entries()) {
        const run = (): Promise<void> => {
          const { request, response } = requestOf(body, { 'content-type': FORM });
          return refuse(request, response, key);
        };
        if (!(await withinBound(run, body.byteLength))) tooCostly.push(`${alphabet} in form ${index}`);
      }
    }
    expect(tooCostly).toStrictEqual([]);
  }); // prettier-ignore
});
