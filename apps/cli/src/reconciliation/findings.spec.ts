import type { GateAlias } from '@app/kernel';
import type { CaseRequestBody } from '@app/reconciliation';
import { periodOf, OpenedCases } from './findings';
import { OperatorPort } from '../operator-port';

it.each([
  [{}, {}],
  [{ from: '2026-11-24' }, { from: Date.UTC(2026, 10, 24) }],
  [{ to: '2026-11-24' }, { before: Date.UTC(2026, 10, 25) }],
  [
    { from: '2026-11-24T08:30Z', to: '2026-11-24T08:30:01Z' },
    { from: Date.UTC(2026, 10, 24, 8, 30), before: Date.UTC(2026, 10, 24, 8, 30, 1) },
  ],
])('%j is the period %j', (options, period) => {
  expect(periodOf(options)).toStrictEqual(period);
});

it.each(['24.11.2026', '2026-02-31', '2026-11-24T08:30', '2026-11-24T08:30+01:00', 'yesterday', '2026-13-01'])(
  'rejects %s as a time',
  (text) => {
    expect(() => periodOf({ from: text })).toThrow('--from must be a day or a time in UTC');
    expect(() => periodOf({ to: text })).toThrow('--to must be a day or a time in UTC');
  },
);

it('rejects a period that ends before it begins', () => {
  expect(() => periodOf({ from: '2026-11-25', to: '2026-11-24' })).toThrow('--from must be before --to');
});

const BODY_BYTES_MAX = 16_384;
const REFERENCE = 'r'.repeat(128);
const FIELDS = ['operation', 'status', 'amount', 'currency', 'commission', 'processed-at', 'gate-order-id'] as const;
const longest: CaseRequestBody = {
  kind: 'different',
  original: REFERENCE,
  key: REFERENCE,
  operation: 'account-verification',
  order: { orderId: REFERENCE, merchant: REFERENCE, followUp: 1_000 },
  differences: FIELDS.map((field) => ({ field, ours: REFERENCE, theirs: REFERENCE })),
  told: {
    status: 'approved',
    amountMinor: '9'.repeat(18),
    currency: 'USD',
    commissionMinor: '9'.repeat(18),
    reference: REFERENCE,
    line: 20_000_000,
  },
};
const shortest: CaseRequestBody = { kind: 'missing-there', original: 'k', operation: 'sale', differences: [] };

describe('cases found by a comparison', () => {
  afterEach(() => jest.restoreAllMocks());

  it.each([
    ['as many as a request may have, where they are short', shortest, [20, 20, 5]],
    ['as many as a request has room for, where they are long', longest, [4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 1]],
  ])('are sent to the service in batches of %s', async (_, found, expected) => {
    const sent: { readonly bytes: number; readonly count: number }[] = [];
    jest.spyOn(globalThis, 'fetch').mockImplementation((_url, request) => {
      const text = request?.body as string;
      const { cases } = JSON.parse(text) as { readonly cases: readonly object[] };
      sent.push({ bytes: Buffer.byteLength(text), count: cases.length });
      return Promise.resolve(Response.json({ cases: cases.map(() => ({ isNew: true })) }));
    });
    const port = new OperatorPort({ operatorHost: '127.0.0.1', operatorPort: 1 }, 't');
    const named = { gate: 'g'.repeat(64) as GateAlias, actor: 'a'.repeat(64) };
    const opening = new OpenedCases({ port, source: 'file', ...named });
    const digest = 'f'.repeat(64);
    for (let count = 0; count < 45; count++) await opening.addRequest(found, digest);
    expect(await opening.flush(digest)).toStrictEqual({ opened: 45, known: 0 });
    expect(sent.map(({ count }) => count)).toStrictEqual(expected);
    expect(Math.max(...sent.map(({ bytes }) => bytes))).toBeLessThanOrEqual(BODY_BYTES_MAX);
  });
});
