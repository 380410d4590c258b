import type { Type } from '@nestjs/common';
import { noFailpoints, Secret, type MerchantLogin } from '@app/kernel';
import { RequestDeadlines } from '@app/event-store';
import {
  encodeForm,
  formSchema,
  GROUP_A_OPERATIONS,
  GROUP_A_PATHS,
  parseFormAnswer,
  type GroupAOperationKey,
  type GroupAProof,
} from '@app/gateway-protocol';
import type { Accounts } from '@app/configuration';
import { seededRandom, VirtualClock } from '@app/testing';
import { IdempotencyKeys, SenderVerifier, type SenderClaim } from '@app/http/group-a';
import { noRateLimit, DecoyKeys, type RequestPorts, type ServedRequest } from '@app/http/request';
import { RATE_LIMIT, REQUEST_PORTS } from '@app/http/request/request.tokens';
import { GROUP_A_CONTROLLERS } from '../group-a.module';
import { openMerchantPort, type MerchantPort } from '../testing/merchant-port';

const deadlineClock = new VirtualClock();

const acme = { login: 'acme' as MerchantLogin, controlKey: new Secret('k'), rebillControl: 'with-endpoint' as const };
const CARD_NUMBER = '4444333322221111';
const GROUPED = '4444 3333 2222 1111';

const performed = jest.fn(() => Promise.reject(new Error('a request with its own card number in a text was performed')));

const translation = { perform: performed, findExisting: performed };
const anyOperation = new Proxy(translation, { get: (target, name) => (name in target ? performed : translation) });

const withoutLogin = (asked: SenderClaim): SenderClaim => {
  const { proof } = asked.operation;
  const proofWithoutLogin: GroupAProof = proof.kind === 'oauth' ? proof : { ...proof, hasLogin: false };
  return { ...asked, operation: { ...asked.operation, proof: proofWithoutLogin } };
};
const fieldsOf = (name: GroupAOperationKey): readonly string[] =>
  Object.keys(formSchema(GROUP_A_OPERATIONS[name].message).properties ?? {});

/** Every field of every path, except the card number itself. */
const CASES = [...GROUP_A_PATHS].flatMap(([path, name]) =>
  fieldsOf(name)
    .filter((field) => field !== 'credit_card_number')
    .map((field) => ({ path, field })),
);

describe("the request's card number repeated in another field (decisions, section 4; safety, T33)", () => {
  let port: MerchantPort;
  let isUnauthenticated = false;
  const served: ServedRequest[] = [];
  const errors: unknown[] = [];
  const senders = new SenderVerifier({
    accounts: {
      entryPoint: () => ({ kind: 'endpoint', id: '1001', merchant: 'acme' }),
      merchant: () => acme,
    } as unknown as Accounts,
    decoyKeys: new DecoyKeys({ merchants: [acme] }),
    controls: { isSigned: () => !isUnauthenticated },
    oauth: { isAuthentic: () => Promise.resolve(!isUnauthenticated) },
    clock: new VirtualClock(),
  });
  const ports: RequestPorts = {
    clock: new VirtualClock(),
    random: seededRandom(),
    serials: { next: () => '00000000-0000-0000-0000-000000000001' },
    failpoints: noFailpoints,
    deadlines: new RequestDeadlines(deadlineClock, deadlineClock),
    listener: { served: (request) => served.push(request), failed: (_request, error) => errors.push(error) },
    configuration: { groupB: { httpErrors: 'always-200' } },
  };
  beforeAll(async () => {
    const given = [
      [REQUEST_PORTS, ports],
      [SenderVerifier, { verify: (request: never, asked: SenderClaim) => senders.verify(request, withoutLogin(asked)) }],
      [RATE_LIMIT, noRateLimit],
      [IdempotencyKeys, translation],
      ...GROUP_A_CONTROLLERS.flatMap((controller) => Reflect.getMetadata('design:paramtypes', controller) as Type[])
        .filter((injected) => injected !== IdempotencyKeys)
        .map((injected) => [injected, anyOperation] as const),
    ] as const;
    port = await openMerchantPort(given, { controllers: GROUP_A_CONTROLLERS });
  });
  afterAll(() => port.close());
  beforeEach(() => {
    served.length = errors.length = 0;
    isUnauthenticated = false;
    performed.mockClear();
  });

  const ask = async (path: string, fields: Readonly<Record<string, string>>) => {
    const response = await fetch(`${port.url}/api/${path}/1001`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: encodeForm(Object.entries(fields)),
    });
    const body = await response.text();
    return { status: response.status, body, fields: Object.fromEntries(parseFormAnswer(body)) };
  };
  const expectAbsent = (body: string): void => {
    const written = `${body}\n${JSON.stringify([served, errors])}`.replace(/[^0-9a-zA-Z]/g, '');
    expect(written).not.toContain(CARD_NUMBER);
    expect(performed).not.toHaveBeenCalled();
  };

  it('is tested in the fields of every path', () => {
    expect(new Set(CASES.map(({ path }) => path))).toStrictEqual(new Set(GROUP_A_PATHS.keys()));
  });

  it.each(CASES)("$path rejects it in $field with code 1 and the field's name and does not echo it [W284]", async ({ path, field }) => {
    for (const [cardNumber, text] of [
      [CARD_NUMBER, CARD_NUMBER],
      [CARD_NUMBER, `x ${GROUPED}`],
      [GROUPED, CARD_NUMBER],
    ] as const) {
      const { body, fields } = await ask(path, { amount: '1.00', credit_card_number: cardNumber, [field]: text });
      expect(fields).toMatchObject({ type: 'validation-error', 'error-code': '1', 'error-message': expect.stringContaining(field) });
      expect(fields).not.toHaveProperty('merchant-order-id', text);
      expectAbsent(body);
    }
  });

  it.each([...GROUP_A_PATHS])('%s does not echo it to an unauthenticated caller [W284]', async (path, name) => {
    isUnauthenticated = true;
    const { proof } = GROUP_A_OPERATIONS[name];
    const request = { amount: '1.00', credit_card_number: CARD_NUMBER, client_orderid: `inv-${CARD_NUMBER}` };
    const { status, body, fields } = await ask(path, request);
    expect([status, fields['error-code']]).toStrictEqual(proof.kind === 'oauth' ? [403, undefined] : [200, '2']);
    expectAbsent(body);
  });

  it('does not affect a different card number in client_orderid, which the response echoes [W265]', async () => {
    const { fields } = await ask('v2/sale', { amount: '1.00', credit_card_number: CARD_NUMBER, client_orderid: '5555555555554444' });
    expect(fields).toMatchObject({ 'error-code': '1', 'merchant-order-id': '5555555555554444' });
  });
});
