import {
  type OrderTrails,
  type SigningKey,
  EvidenceService,
  AuditService,
  type OrderNames,
  type OrderUnnamed,
  QueryAudit,
} from '@app/investigation';
import { StoreUnavailable } from '@app/event-store';
import { EndableDeadline, type Instant } from '@app/kernel';
import type { OperatorAudit } from '@app/investigation/record';

const JANE = { operator: { name: 'jane', role: 'investigator', tokenSha256: '' }, claimedActor: 'kim' } as const;
const deadline = new EndableDeadline();
const UNNAMED: readonly OrderUnnamed[] = [
  { kind: 'unknown-order', index: undefined },
  { kind: 'ambiguous', orders: ['acme', 'other'].map((merchant) => ({ orderId: '1', clientOrderId: 'inv', merchant })) },
];

type Recorded = Parameters<OperatorAudit['answered']>;
const world = (unnamed: OrderUnnamed, answered?: () => Promise<void>) => {
  const recorded: Recorded[] = [];
  const audit = { answered: answered ?? ((...what: Recorded) => Promise.resolve(void recorded.push(what))) };
  const digests = { onceKey: (kind: string, parts: readonly string[]) => [kind, ...parts].join(' ') };
  const names: Pick<OrderNames, 'one' | 'listState'> = {
    one: () => Promise.resolve(unnamed),
    listState: () => Promise.resolve(undefined),
  };
  const shared = { names, digests, audit, questions: new QueryAudit(audit, digests), clock: { now: () => 9_000 as Instant } };
  const never = (): never => {
    throw new Error('nothing is read of an order that has no name');
  };
  const service = new AuditService({ ...shared, trails: { of: never } as Pick<OrderTrails, 'of'> } as never);
  const evidence = new EvidenceService({ ...shared, key: {} as SigningKey, log: never } as never);
  const asked = { merchant: undefined, format: 'csv', deadline } as const;
  const questions = {
    trail: () => service.orderTrail('no-such', asked, JANE),
    reveal: () => service.orderTrail('no-such', { ...asked, reveal: { reason: 'a dispute' } }, JANE),
    pack: () => evidence.make('no-such', { merchant: undefined, at: undefined, reason: 'a dispute', deadline }, JANE),
  };
  return { recorded, questions };
};

describe.each(UNNAMED)('a name that does not resolve to a single order ($kind)', (unnamed) => {
  it.each([
    ['trail', 'order-trail'],
    ['reveal', 'order-trail'],
    ['pack', 'order-evidence'],
  ] as const)('is audited if its %s is requested', async (which, query) => {
    const { recorded, questions } = world(unnamed);
    expect(await questions[which]()).toStrictEqual(unnamed);
    expect(recorded).toStrictEqual([
      [
        { actor: 'operator:jane', claimedActor: 'kim' },
        { query, role: 'investigator', filters: ['id'], digest: `audit question ${query}  id no-such`, format: 'json', rows: 0 },
      ],
    ]);
  });

  it.each(['trail', 'reveal', 'pack'] as const)('returns no answer if the request for its %s cannot be audited', async (which) => {
    const { questions } = world(unnamed, () => Promise.reject(new StoreUnavailable('away')));
    await expect(questions[which]()).rejects.toThrow(StoreUnavailable);
  });
});
