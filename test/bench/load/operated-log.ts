import type { Last, NewEvent } from '@app/event-store';
import type { GateAlias, Instant, MerchantLogin, NonEmpty, Sealed } from '@app/kernel';
import { ACME, SHOPS } from '../harness/acme';
import { built } from '../harness/built';
import { envelope, type WrittenOrder, type WrittenStream } from './written-orders';

const { hashOf } = built<typeof import('@app/event-store')>('libs/event-store/index.js');
const { addMs, systemIds } = built<typeof import('@app/kernel')>('libs/kernel/index.js');
const { caseStream, reconciliationCodec } = built<typeof import('@app/reconciliation')>('libs/reconciliation/index.js');
const { approvalCodec, approvalIdFor, approvalStream } = built<typeof import('@app/investigation/approvals')>(
  'libs/investigation/approvals/index.js',
);
const { operatorAuditCodec, operatorStream } = built<typeof import('@app/investigation/record')>('libs/investigation/record/index.js');

export type OperatedOrder = Pick<WrittenOrder, 'orderId' | 'stream'> & { readonly merchant: MerchantLogin };

const PERSONS = 40;
const SEALED = 'sealed' as Sealed;
const DIGEST = 'ab'.repeat(32);
const DAY_MS = 86_400_000;
const GATES = ['sim-a', 'sim-b'] as const;
const QUERIES = ['show-order', 'list-orders', 'find-deliveries', 'list-cases'] as const;
const FINDINGS = ['different', 'missing-there', 'duplicate'] as const;
const ENDS = ['unknown', 'disputed', 'represented'] as const;
const FAILED = ['waiting', 'exhausted'] as const;

const one = <Value>(values: readonly [Value, ...Value[]], number: number): Value => values[number % values.length] ?? values[0];
const person = (number: number): string => `operator:person-${number % PERSONS}`;

/** Half of the orders are the first merchant's. Of each kind that an operator looks for there are some thousands in a million events. */
export const operatedOrder = (number: number) =>
  ({
    merchant: (number % 2 === 0 ? ACME.login : one(SHOPS, number >> 1)) as MerchantLogin,
    end: number % 2_003 === 0 ? 'faulty' : (ENDS[number % 53] ?? (number % 11 === 0 ? 'declined' : 'approved')),
    delivery: FAILED[number % 17] ?? 'delivered',
    target: number % 7 === 0 ? 'notify' : 'callback',
  }) as const;

/** What operators asked and did with one process. */
export const operatorEvents = (
  process: number,
  count: number,
  orderOf: (number: number) => OperatedOrder,
  from: Instant,
): WrittenStream => {
  const stream = operatorStream(`bench-${process}`);
  const written: NewEvent[] = [];
  let last: Last = 'no_stream';
  for (let number = 0; number < count; number++) {
    const at = addMs(from, number * 1_000);
    const [role, target, actionId] = ['operator', orderOf(number).orderId, `action-${process}-${number - (number % 5)}`];
    const query = {
      queryId: `query-${process}-${number}`,
      query: one(QUERIES, number),
      role,
      target,
      filters: [],
      digest: DIGEST,
    } as const;
    const event =
      number % 5 === 0
        ? ({ type: 'OperatorActionBegun', data: { actionId, action: 'settle-unknown', role, target, begunAt: at } } as const)
        : number % 5 === 1
          ? ({ type: 'OperatorActionEnded', data: { actionId, outcome: 'done', endedAt: at } } as const)
          : ({ type: 'OperatorQueryAnswered', data: { ...query, format: 'json', rows: 1, answeredAt: at } } as const);
    const [encoded] = operatorAuditCodec.encode([event], stream, last, envelope(number, person(process + Math.floor(number / 5)), at, ''));
    written.push(encoded);
    last = { revision: BigInt(number), hash: hashOf(encoded) } as Last;
  }
  return { stream, events: written as unknown as NonEmpty<NewEvent> };
};

/** One of ten proposals waits for a decision, and an admin approved one of ten without a second person. */
export const proposal = (number: number, { orderId, merchant, stream: orderStream }: OperatedOrder, proposedAt: Instant): WrittenStream => {
  const id = approvalIdFor('bench', String(number));
  const action = { action: 'settle-unknown', target: orderId, merchant, orderStream, orderRevision: 2n, to: 'approved' } as const;
  const proposed = { ...action, proposer: person(number), reason: SEALED, proposedAt, expiresAt: addMs(proposedAt, DAY_MS) };
  const isAlone = number % 10 === 1;
  const decided = [
    { type: 'ActionApproved', data: { approver: person(number + (isAlone ? 0 : 1)), isAlone, approvedAt: proposedAt } },
    { type: 'ApprovedActionEnded', data: { outcome: 'done', endedAt: proposedAt } },
  ] as const;
  const events = [{ type: 'ActionProposed', data: proposed }, ...(number % 10 === 0 ? [] : decided)] as const;
  const stream = approvalStream(id);
  return { stream, events: approvalCodec.encode(events, stream, 'no_stream', envelope(number, person(number), proposedAt, merchant)) };
};

/** Every second case is closed. */
export const reconciliationCase = (number: number, { orderId, merchant }: OperatedOrder, openedAt: Instant): WrittenStream => {
  const found = { gate: one(GATES, number) as GateAlias, kind: one(FINDINGS, number), source: 'file', operation: 'sale' } as const;
  const opened = { ...found, original: systemIds.next(), order: { orderId, merchant }, differences: [], openedAt };
  const closed = [{ type: 'CaseClosed', data: { reason: SEALED, closedAt: openedAt } }] as const;
  const stream = caseStream(approvalIdFor('case', String(number)));
  const events = [{ type: 'CaseOpened', data: opened }, ...(number % 2 === 0 ? closed : [])] as const;
  return { stream, events: reconciliationCodec.encode(events, stream, 'no_stream', envelope(number, person(number), openedAt, merchant)) };
};
