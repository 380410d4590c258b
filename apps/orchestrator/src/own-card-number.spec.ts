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
import { CLOCK, FAILPOINTS } from '@app/injection';
import { VirtualClock } from '@app/testing';
import { GROUP_A_CONTROLLERS } from './group-a.module';
import { CardReferences } from './card-registration/create-card-ref.translation';
import { GetCardInfo } from './card-registration/get-card-info.translation';
import { FollowUps } from './follow-up/follow-up.translation';
import { FormReading } from './merchant-api/form-reader.guard';
import { IdempotencyKeys } from './merchant-api/idempotency/idempotency-keys';
import type { ServedRequest } from './merchant-api/merchant-api.watch';
import { SenderVerifier, type SenderAsked } from './merchant-api/sender/sender-verifier';
import { openMerchantPort, type MerchantPort } from './merchant-api/testing/merchant-port';
import { OrderStatus } from './order-status/order-status.translation';
import { InitialPayments } from './payment/initial-payment.translation';
import { MakeRebills } from './recurring/make-rebill.translation';
import { noRateLimit } from './request/rate-limit/rate-limit';
import { RATE_LIMIT } from './request/request.tokens';
import { KeysOfUnknownMerchants } from './request/unknown-merchants/keys-of-unknown-merchants';

const deadlineClock = new VirtualClock();

const acme = { login: 'acme' as MerchantLogin, controlKey: new Secret('k'), rebillControl: 'with-endpoint' as const };
const CARD_NUMBER = '4444333322221111';
const GROUPED = '4444 3333 2222 1111';

const performed = jest.fn(() => Promise.reject(new Error('a request with its own card number in a text came through')));

/** In the place of every operation: no request may get so far. */
const translation = { perform: performed, existing: performed };
const anyOperation = new Proxy(translation, { get: (target, name) => (name in target ? performed : translation) });

/** Signed by whoever comes, under any login. */
const signedByAny = (asked: SenderAsked): SenderAsked => {
  const { proof } = asked.operation;
  const withoutLogin: GroupAProof = proof.kind === 'oauth' ? proof : { ...proof, hasLogin: false };
  return { ...asked, operation: { ...asked.operation, proof: withoutLogin } };
};
const fieldsOf = (name: GroupAOperationKey): readonly string[] =>
  Object.keys(formSchema(GROUP_A_OPERATIONS[name].message).properties ?? {});

/** Every field of every route, but the card number's own. */
const CASES = [...GROUP_A_PATHS].flatMap(([path, name]) =>
  fieldsOf(name)
    .filter((field) => field !== 'credit_card_number')
    .map((field) => ({ path, field })),
);

describe('the request’s own card number in another field (decisions, section 4; safety, T33)', () => {
  let port: MerchantPort;
  let isStranger = false;
  const served: ServedRequest[] = [];
  const errors: unknown[] = [];
  const senders = new SenderVerifier({
    accounts: {
      entryPoint: () => ({ kind: 'endpoint', id: '1001', merchant: 'acme' }),
      merchant: () => acme,
    } as unknown as Accounts,
    nobody: new KeysOfUnknownMerchants({ merchants: [acme] }),
    controls: { isSigned: () => !isStranger },
    oauth: { isAuthentic: () => Promise.resolve(!isStranger) },
  });
  const forms = new FormReading({
    serials: { next: () => '00000000-0000-0000-0000-000000000001' },
    failpoints: noFailpoints,
    deadlines: new RequestDeadlines(deadlineClock, deadlineClock),
    watch: { served: (request) => served.push(request), failed: (_request, error) => errors.push(error) },
  });
  beforeAll(async () => {
    const given = [
      [FormReading, forms],
      [SenderVerifier, { verify: (request: never, asked: SenderAsked) => senders.verify(request, signedByAny(asked)) }],
      [RATE_LIMIT, noRateLimit],
      [CLOCK, new VirtualClock()],
      [FAILPOINTS, noFailpoints],
      [IdempotencyKeys, translation],
      ...[InitialPayments, MakeRebills, FollowUps, CardReferences, GetCardInfo, OrderStatus].map((made) => [made, anyOperation] as const),
    ] as const;
    port = await openMerchantPort(given, { controllers: GROUP_A_CONTROLLERS });
  });
  afterAll(() => port.close());
  beforeEach(() => {
    served.length = errors.length = 0;
    isStranger = false;
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
  const expectNowhere = (body: string): void => {
    const said = `${body}\n${JSON.stringify([served, errors])}`.replace(/[^0-9a-zA-Z]/g, '');
    expect(said).not.toContain(CARD_NUMBER);
    expect(performed).not.toHaveBeenCalled();
  };

  it('is looked for in fields of all fourteen paths', () => {
    expect(new Set(CASES.map(({ path }) => path)).size).toBe(14);
  });

  it.each(CASES)('$path is refused for $field, named without its value, and gives nothing of it back', async ({ path, field }) => {
    for (const [cardNumber, text] of [
      [CARD_NUMBER, CARD_NUMBER],
      [CARD_NUMBER, `x ${GROUPED}`],
      [GROUPED, CARD_NUMBER],
    ] as const) {
      const { body, fields } = await ask(path, { amount: '1.00', credit_card_number: cardNumber, [field]: text });
      expect(fields).toMatchObject({ type: 'validation-error', 'error-code': '1', 'error-message': expect.stringContaining(field) });
      expect(fields).not.toHaveProperty('merchant-order-id', text);
      expectNowhere(body);
    }
  });

  it.each([...GROUP_A_PATHS])('%s gives nothing of it back to those who prove nothing', async (path, name) => {
    isStranger = true;
    const { proof } = GROUP_A_OPERATIONS[name];
    const asked = { amount: '1.00', credit_card_number: CARD_NUMBER, client_orderid: `inv-${CARD_NUMBER}` };
    const { status, body, fields } = await ask(path, asked);
    expect([status, fields['error-code']]).toStrictEqual(proof.kind === 'oauth' ? [403, undefined] : [200, '2']);
    expectNowhere(body);
  });

  it('is not seen in a client_orderid that holds another number: it is given back', async () => {
    const { fields } = await ask('v2/sale', { amount: '1.00', credit_card_number: CARD_NUMBER, client_orderid: '5555555555554444' });
    expect(fields).toMatchObject({ 'error-code': '1', 'merchant-order-id': '5555555555554444' });
  });
});
