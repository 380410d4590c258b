import { streamName, type StreamName, eventCodec, f, type EventCodec } from '@app/event-store';
import { SETTLED_OPERATIONS } from '@app/gateway-adapters/contract';
import type { GateAlias } from '@app/kernel';
import { nameOfCase } from './domain/case-of-finding';
import {
  type CaseOpened,
  CASE_SOURCES,
  type CaseApplied,
  type CaseClosed,
  type CaseEvent,
  type CaseOrder,
  type GateRecord,
} from './domain/case';
import { COMPARED_FIELDS, FINDING_KINDS, type FieldDifference } from './domain/compare';

export const RECONCILIATION_CATEGORY = 'reconciliation';

const CASE_ID = /^[a-z2-7]{52}$/;

/** The stream name is the idempotency key: the same difference finds its own case. */
export const caseStreamOf = (opened: CaseOpened['data']): StreamName => streamName(RECONCILIATION_CATEGORY, ...nameOfCase(opened));

export const caseIdOf = (stream: StreamName): string => stream.slice(RECONCILIATION_CATEGORY.length + 1);

export const isCaseId = (text: string): boolean => CASE_ID.test(text);

export const caseStream = (caseId: string): StreamName => `${RECONCILIATION_CATEGORY}-${caseId}` as StreamName;

const order = () => f.object<CaseOrder>({ orderId: f.id(), merchant: f.id(), followUp: f.optional(f.int()) });

const word = () =>
  f.object<GateRecord>({
    status: f.oneOf('approved', 'declined', 'open'),
    amount: f.optional(f.money()),
    commissionMinor: f.optional(f.bigint()),
    processedAt: f.optional(f.instant()),
    reference: f.optional(f.gateReference()),
    line: f.optional(f.int()),
  });

const difference = () =>
  f.object<FieldDifference>({
    field: f.oneOf(...COMPARED_FIELDS),
    ours: f.optional(f.gateReference()),
    theirs: f.optional(f.gateReference()),
  });

export const reconciliationCodec: EventCodec<CaseEvent> = eventCodec<CaseEvent>(RECONCILIATION_CATEGORY, {
  CaseOpened: {
    version: 1,
    meaning:
      'A gate’s settlement and the log differ for this transaction, and an operator must review it. Nothing else changes. If the difference returns after the case was applied, the event is repeated.',
    schema: f.object<CaseOpened['data']>({
      gate: f.id<GateAlias>(),
      kind: f.oneOf(...FINDING_KINDS),
      source: f.oneOf(...CASE_SOURCES),
      original: f.gateReference(),
      key: f.optional(f.gateReference()),
      operation: f.oneOf(...SETTLED_OPERATIONS),
      order: f.optional(order()),
      differences: f.list<readonly FieldDifference[]>(difference()),
      told: f.optional(word()),
      fileDigest: f.optional(f.hash()),
      openedAt: f.instant(),
    }),
  },
  CaseClosed: {
    version: 1,
    meaning: 'An operator, who is the actor, closed the case without a change. The reason is sealed.',
    schema: f.object<CaseClosed['data']>({ reason: f.sealed(), closedAt: f.instant() }),
  },
  CaseApplied: {
    version: 1,
    meaning: 'An operator applied the gate’s outcome to the order, which closes the case. The order’s event records the change.',
    schema: f.object<CaseApplied['data']>({
      to: f.oneOf('approved', 'declined'),
      effect: f.oneOf('reconciled', 'resolved', 'held-already'),
      reason: f.sealed(),
      appliedAt: f.instant(),
    }),
  },
});
