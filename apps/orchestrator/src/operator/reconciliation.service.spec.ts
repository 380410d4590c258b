import { hash } from 'node:crypto';
import type { Operator } from '@app/configuration';
import type { GateAlias, Instant } from '@app/kernel';
import { OutcomeUnknown, StoreUnavailable } from '@app/event-store';
import type { Reconciled } from '@app/orders';
import type { Case, CaseOpened } from '@app/reconciliation';
import type { CaseRequest, OpenCasesRequest } from './reconciliation.requests';
import type { ReconcileOrder } from '@app/orders';
import { ReconciliationService, type ReconciliationServicePorts } from './reconciliation.service';

const CASE_ID = 'a'.repeat(52);
const ORDER = 'pabcdefghijklmnr';
const acting = { operator: { name: 'kim', role: 'admin' } as Operator, claimedActor: undefined };
const opened: CaseOpened['data'] = {
  gate: 'sim-a' as GateAlias,
  kind: 'different',
  source: 'file',
  original: 'key-1',
  key: 'key-1',
  operation: 'sale',
  order: { orderId: ORDER, merchant: 'acme' },
  differences: [{ field: 'status', ours: 'approved', theirs: 'declined' }],
  told: { status: 'declined' },
  openedAt: 1 as Instant,
};

type Previewed = Awaited<ReturnType<ReconcileOrder['preview']>>;

const world = (
  known: Case,
  apply: () => Promise<Reconciled> = () => Promise.resolve({ kind: 'reconciled' } as Reconciled),
  previewed: Previewed = { kind: 'reconciled', events: ['OutcomeReconciled'] },
) => {
  const done: string[] = [];
  const ports = {
    cases: {
      open: (found: object) => {
        done.push(JSON.stringify(found, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)));
        return Promise.resolve({ caseId: CASE_ID, isNew: true });
      },
      find: () => Promise.resolve(known),
      close: () => Promise.resolve(known.status === 'open' ? 'closed' : 'unknown-case'),
      recordApplied: (_caseId: string, { effect }: { effect: string }) => {
        done.push(`recorded ${effect}`);
        return Promise.resolve('applied');
      },
    },
    readModel: {
      reconciliationCases: {
        page: (filter: object, { after }: { readonly after?: object }) => {
          done.push(JSON.stringify([filter, after]));
          const records = [{ stream: `reconciliation-${CASE_ID}`, view: { status: 'open' } }];
          return Promise.resolve({ records, next: after === undefined ? { at: 5, stream: `reconciliation-${CASE_ID}` } : undefined });
        },
      },
      gateAttempts: {
        ofStreams: () =>
          Promise.resolve([
            {
              view: {
                asked: [
                  {
                    key: 'key-1',
                    status: 'approved',
                    amountMinor: '1042',
                    currency: 'USD',
                    operation: 'sale',
                    commissionMinor: null,
                    processedAt: 3,
                    gateOrderId: null,
                  },
                ],
              },
            },
          ]),
      },
      operatorOrders: {
        byOrderId: (_merchants: unknown, orderId: string) => Promise.resolve(orderId === ORDER ? { stream: 'payment-1' } : undefined),
      },
    },
    orders: { apply, preview: () => Promise.resolve(previewed) },
    digests: { onceKey: (_kind: string, parts: readonly string[]) => hash('sha256', parts.join(' '), 'hex') },
    gates: { find: (alias: string) => (alias === 'sim-a' ? {} : undefined) },
    audit: {
      begin: (_by: unknown, { action, target }: { action: string; target: string }) => {
        done.push(`begun ${action} ${target}`);
        return Promise.resolve('id');
      },
      end: (_by: unknown, _id: string, outcome: string) => {
        done.push(outcome);
        return Promise.resolve();
      },
    },
  };
  return { service: new ReconciliationService(ports as unknown as ReconciliationServicePorts), done };
};
const open: Case = { status: 'open', opened };

it('lists a page of cases with their ids, and refuses the cursor of another query', async () => {
  const { service, done } = world(open);
  const first = await service.list({ kind: 'different' }, { limit: 1 }, acting.operator);
  expect(first).toStrictEqual({ cases: [{ caseId: CASE_ID, status: 'open' }], next: expect.any(String) });
  const last = await service.list({ kind: 'different' }, { limit: 1, cursor: first?.next }, acting.operator);
  expect(last).toStrictEqual({ cases: [{ caseId: CASE_ID, status: 'open' }] });
  expect(done.map((text) => JSON.parse(text) as unknown)).toStrictEqual([
    [{ kind: 'different', isOpen: true }, null],
    [
      { kind: 'different', isOpen: true },
      { at: 5, stream: `reconciliation-${CASE_ID}` },
    ],
  ]);
  const limited = { ...acting.operator, merchants: ['acme'] } as unknown as Operator;
  for (const [filter, operator] of [
    [{ kind: 'duplicate' }, acting.operator],
    [{ kind: 'different' }, limited],
  ] as const)
    expect(await service.list(filter, { limit: 1, cursor: first?.next }, operator)).toBeUndefined();
});

describe('the effect of applying a case', () => {
  it('has both sides of each field, the present value, and the events that would be recorded', async () => {
    const { service, done } = world(open);
    const effect = await service.effect(CASE_ID, acting.operator);
    expect(effect).toMatchObject({ to: 'declined', effect: 'reconciled', refusal: null, records: ['OutcomeReconciled', 'CaseApplied'] });
    expect(effect?.sides).toContainEqual({ field: 'status', ours: 'approved', theirs: 'declined', oursNow: 'approved', isDifferent: true });
    expect(effect?.sides).toContainEqual({ field: 'amount', ours: '10.42', theirs: null, oursNow: '10.42', isDifferent: false });
    expect(done).toStrictEqual([]);
  });

  it.each<[string, Case, Previewed, object]>([
    [
      'an order that refuses',
      open,
      { kind: 'refused', reason: 'order-not-final' },
      { effect: null, refusal: 'order-not-final', records: [] },
    ],
    [
      'an order that has the status',
      open,
      { kind: 'refused', reason: 'nothing-new' },
      { effect: 'held-already', records: ['CaseApplied'] },
    ],
    ['an open outcome', open, { kind: 'resolved', events: [] }, { effect: 'resolved', refusal: null }],
    ['a closed case', { status: 'closed', opened }, { kind: 'resolved', events: [] }, { effect: null, refusal: 'closed-before' }],
    [
      'a case without a status',
      { status: 'open', opened: { ...opened, differences: [] } },
      { kind: 'resolved', events: [] },
      { to: null, refusal: 'nothing-to-apply' },
    ],
    [
      'an unknown order',
      { status: 'open', opened: { ...opened, order: { orderId: 'p2222222222222222', merchant: 'acme' } } },
      { kind: 'resolved', events: [] },
      { refusal: 'unknown-order' },
    ],
  ])('for %s says so', async (_, known, previewed, expected) => {
    expect(await world(known, undefined, previewed).service.effect(CASE_ID, acting.operator)).toMatchObject(expected);
  });

  it('is unknown for a malformed id, and to an operator of another merchant', async () => {
    const { service } = world(open);
    expect(await service.effect('x', acting.operator)).toBeUndefined();
    expect(await service.effect(CASE_ID, { ...acting.operator, merchants: ['other'] } as unknown as Operator)).toBeUndefined();
  });
});

it('opens cases for a configured gate with exactly the given members and rejects an unknown gate', async () => {
  const cases = [
    {
      kind: 'missing-here',
      original: 'key-1',
      operation: 'sale',
      differences: [],
      told: { status: 'approved', amountMinor: '1', currency: 'USD', commissionMinor: '2', processedAt: 3, reference: 'r', line: 4 },
    },
  ] as unknown as readonly CaseRequest[];
  const request = { gate: 'sim-a', source: 'file', fileDigest: 'ab', cases } as OpenCasesRequest;
  const { service, done } = world(open);
  expect(await service.open(request, acting)).toStrictEqual({ reason: 'opened', cases: [{ caseId: CASE_ID, isNew: true }] });
  const told = {
    status: 'approved',
    amount: { minor: '1n', currency: 'USD' },
    commissionMinor: '2n',
    processedAt: 3,
    reference: 'r',
    line: 4,
  };
  const [begun, found = '', outcome] = done;
  expect([begun, JSON.parse(found), outcome]).toStrictEqual([
    'begun open-cases sim-a',
    { gate: 'sim-a', kind: 'missing-here', source: 'file', original: 'key-1', operation: 'sale', differences: [], told, fileDigest: 'ab' },
    'done',
  ]);
  expect(await service.open({ ...request, gate: 'none' }, acting)).toStrictEqual({ reason: 'unknown-gate' });
  expect(done.at(-1)).toBe('refused');
});

it('closes a case by id and rejects a malformed id', async () => {
  const { service, done } = world(open);
  expect(await service.close(CASE_ID, 'why', acting)).toStrictEqual({ reason: 'closed' });
  expect(await service.close('../x', 'why', acting)).toStrictEqual({ reason: 'unknown-case' });
  expect(done).toStrictEqual([`begun close-case ${CASE_ID}`, 'done']);
});

describe('applying a case', () => {
  it.each([
    ['changes the order, and is recorded', { kind: 'reconciled' }, 'reconciled'],
    ['resolves an open outcome', { kind: 'resolved' }, 'resolved'],
    ['finds that the order holds it already, as after a crash between the two', { kind: 'refused', reason: 'nothing-new' }, 'held-already'],
  ])('records the applied case if it %s', async (_, answer, effect) => {
    const { service, done } = world(open, () => Promise.resolve(answer as Reconciled));
    expect(await service.apply(CASE_ID, 'why', acting)).toStrictEqual({ reason: 'applied', effect, to: 'declined' });
    expect(done).toStrictEqual([`begun apply-case ${CASE_ID}`, `recorded ${effect}`, 'done']);
  });

  it("leaves the case open and returns the order's reason if the order refuses", async () => {
    const { service, done } = world(open, () => Promise.resolve({ kind: 'refused', reason: 'follow-ups-moved' }));
    expect(await service.apply(CASE_ID, 'why', acting)).toStrictEqual({ reason: 'refused', why: 'follow-ups-moved' });
    expect(done.at(-1)).toBe('refused');
  });

  const changed = (change: Partial<CaseOpened['data']>): Case => ({ status: 'open', opened: { ...opened, ...change } });
  const without = (name: 'key' | 'order' | 'told'): Case => {
    const { [name]: _left, ...rest } = opened;
    return { status: 'open', opened: rest };
  };
  it.each<[string, Case, string]>([
    ['is not there', { status: 'none' }, 'unknown-case'],
    ['was closed', { status: 'closed', opened }, 'closed-before'],
    ['was applied', { status: 'applied', opened }, 'closed-before'],
    ['is of another kind', changed({ kind: 'missing-there' }), 'nothing-to-apply'],
    ['is of no status', changed({ differences: [{ field: 'commission' }] }), 'nothing-to-apply'],
    ['is of a sum too', changed({ differences: [...opened.differences, { field: 'amount' }] }), 'nothing-to-apply'],
    ['is undecided', changed({ told: { status: 'open' } }), 'nothing-to-apply'],
    ['has no attempt key', without('key'), 'nothing-to-apply'],
    ['has no order id', without('order'), 'nothing-to-apply'],
    ['has no word of the gate', without('told'), 'nothing-to-apply'],
    ['names an order that is not there', changed({ order: { orderId: 'pzzzzzzzzzzzzzzr', merchant: 'acme' } }), 'unknown-order'],
    ['names an order that cannot be', changed({ order: { orderId: 'x', merchant: 'acme' } }), 'unknown-order'],
  ])('changes nothing if the case %s', async (_, known, reason) => {
    const { service } = world(known, () => Promise.reject(new Error('not to be asked')));
    expect(await service.apply(CASE_ID, 'why', acting)).toStrictEqual({ reason });
  });

  it.each([
    [new OutcomeUnknown('lost'), 'unknown'],
    [new StoreUnavailable('away'), 'failed'],
  ])('audits %s as %s', async (error, outcome) => {
    const { service, done } = world(open, () => Promise.reject(error));
    await expect(service.apply(CASE_ID, 'why', acting)).rejects.toThrow(error.message);
    expect(done.at(-1)).toBe(outcome);
  });

  it('returns unknown-case for a malformed id', async () => {
    expect(await world(open).service.apply('x', 'why', acting)).toStrictEqual({ reason: 'unknown-case' });
  });
});
