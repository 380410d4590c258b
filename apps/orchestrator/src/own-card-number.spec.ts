import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Request, type Response } from 'express';
import { noFailpoints, Secret, type MerchantLogin } from '@app/kernel';
import { RequestDeadlines } from '@app/event-store';
import { encodeForm, formSchema, parseFormAnswer } from '@app/gateway-protocol';
import type { Accounts } from '@app/configuration';
import { VirtualClock } from '@app/testing';
import { groupAOperations, type GroupAParts } from './composition/group-a-operations';
import { KeysOfUnknownMerchants } from './request/unknown-merchants/keys-of-unknown-merchants';
import { GroupAEdge, type ServedRequest } from './merchant-api/group-a.exchange';
import type { IdempotencyKeys } from './merchant-api/idempotency/idempotency-keys';
import type { OAuthVerifier } from './merchant-api/oauth/oauth-verifier';
import type { GroupAOperation } from './merchant-api/answers/answer';
import { GROUP_A_PATHS, type GroupAOperations } from '../../../libs/gateway-protocol/group-a/operations';

const deadlineClock = new VirtualClock();

const acme = { login: 'acme' as MerchantLogin, controlKey: new Secret('k'), rebillControl: 'with-endpoint' as const };
const CARD_NUMBER = '4444333322221111';
const GROUPED = '4444 3333 2222 1111';

// Only what an operation is, never what it does, is met here: it needs no part to do it with.
const operations = groupAOperations({} as GroupAParts);
const performed = jest.fn(() => Promise.reject(new Error('a request with its own card number in a text came through')));

/** Its fields and its path through the edge, signed by whoever comes. */
const takingAny = (name: keyof GroupAOperations): GroupAOperation<object> => {
  const { message, amount, proof, name: operation } = operations[name] as GroupAOperation<object>;
  const signedByAny = proof.kind === 'oauth' ? proof : { ...proof, hasLogin: false, isSigned: () => true };
  return { name: operation, message, amount, proof: signedByAny, perform: performed };
};
const fieldsOf = (name: keyof GroupAOperations): readonly string[] => Object.keys(formSchema(operations[name].message).properties ?? {});

/** Every field of every route, but the card number's own. */
const CASES = Object.entries(GROUP_A_PATHS).flatMap(([path, name]) =>
  fieldsOf(name)
    .filter((field) => field !== 'credit_card_number')
    .map((field) => ({ path, name, field })),
);

describe('the request’s own card number in another field (decisions, section 4; safety, T33)', () => {
  let server: Server;
  let serving: GroupAOperation<object>;
  let isStranger = false;
  const served: ServedRequest[] = [];
  const errors: unknown[] = [];
  const edge = new GroupAEdge({
    accounts: {
      entryPoint: () => ({ kind: 'endpoint', id: '1001', merchant: 'acme' }),
      merchant: () => acme,
    } as unknown as Accounts,
    nobody: new KeysOfUnknownMerchants({ merchants: [acme] }),
    oauth: { isAuthentic: () => Promise.resolve(!isStranger) } as unknown as OAuthVerifier,
    idempotencyKeys: {} as IdempotencyKeys,
    serials: { next: () => '00000000-0000-0000-0000-000000000001' },
    clock: new VirtualClock(),
    failpoints: noFailpoints,
    deadlines: new RequestDeadlines(deadlineClock, deadlineClock),
    rateLimit: { admit: () => Promise.resolve({ kind: 'admitted' }), close: () => Promise.resolve() },
    onServed: (request) => served.push(request),
    onError: (_serial, error) => errors.push(error),
  });
  beforeAll(async () => {
    const app = express();
    app.post('/', (request: Request, response: Response) => edge.serve(request, response, 'endpoint', '1001', serving));
    server = createServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  beforeEach(() => {
    served.length = errors.length = 0;
    isStranger = false;
    performed.mockClear();
  });

  const ask = async (fields: Readonly<Record<string, string>>) => {
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: encodeForm(Object.entries(fields)),
    });
    const body = await response.text();
    return { status: response.status, body, fields: Object.fromEntries(parseFormAnswer(body)) };
  };
  const expectNowhere = (body: string): void => {
    const said = `${body}\n${JSON.stringify([served, errors])}`.replace(/[^0-9a-zA-Z]/g, '');
    expect(said).not.toContain(CARD_NUMBER);
    expect(performed).not.toHaveBeenCalled();
  };

  it('is looked for in fields of all fourteen paths', () => {
    expect(new Set(CASES.map(({ path }) => path)).size).toBe(14);
  });

  it.each(CASES)('$path is refused for $field, named without its value, and gives nothing of it back', async ({ name, field }) => {
    serving = takingAny(name);
    for (const [cardNumber, text] of [
      [CARD_NUMBER, CARD_NUMBER],
      [CARD_NUMBER, `x ${GROUPED}`],
      [GROUPED, CARD_NUMBER],
    ] as const) {
      const { body, fields } = await ask({ amount: '1.00', credit_card_number: cardNumber, [field]: text });
      expect(fields).toMatchObject({ type: 'validation-error', 'error-code': '1', 'error-message': expect.stringContaining(field) });
      expect(fields).not.toHaveProperty('merchant-order-id', text);
      expectNowhere(body);
    }
  });

  it.each(Object.entries(GROUP_A_PATHS))('%s gives nothing of it back to those who prove nothing', async (_path, name) => {
    isStranger = true;
    const { proof, ...operation } = takingAny(name);
    serving = { ...operation, proof: proof.kind === 'oauth' ? proof : { ...proof, isSigned: () => false } };
    const asked = { amount: '1.00', credit_card_number: CARD_NUMBER, client_orderid: `inv-${CARD_NUMBER}` };
    const { status, body, fields } = await ask(asked);
    expect([status, fields['error-code']]).toStrictEqual(proof.kind === 'oauth' ? [403, undefined] : [200, '2']);
    expectNowhere(body);
  });

  it('is not seen in a client_orderid that holds another number: it is given back', async () => {
    serving = takingAny('sale');
    const { fields } = await ask({ amount: '1.00', credit_card_number: CARD_NUMBER, client_orderid: '5555555555554444' });
    expect(fields).toMatchObject({ 'error-code': '1', 'merchant-order-id': '5555555555554444' });
  });
});
