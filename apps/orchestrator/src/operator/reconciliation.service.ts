import {
  formatAmount,
  isoInstant,
  isOrderId,
  present,
  type AttemptKey,
  type Currency,
  type Deadline,
  type GateAlias,
  type Instant,
  type MerchantLogin,
} from '@app/kernel';
import { afterEffect, type Actor, type StreamName } from '@app/event-store';
import type { OperatorAudit } from '@app/investigation/record';
import { VaultUnavailable, type ServiceDigests } from '@app/card-vault';
import type { Reconciled, ReconcileOrder } from '@app/orders';
import type {
  CaseFilter,
  GateAttemptsQueries,
  GateAttemptView,
  OrderStatusRecord,
  ReconciliationCaseQueries,
  ReconciliationCaseRecord,
} from '@app/read-models';
import {
  caseIdOf,
  COMPARED_FIELDS,
  isCaseId,
  type Case,
  type CaseOpened,
  type Cases,
  type ComparedField,
  type GateRecord,
  type OpenedCase,
} from '@app/reconciliation';
import type { Operator } from '@app/configuration';
import { act, readCursor, seesMerchant, writeCursor, type ActingOperator } from '@app/investigation';
import type { CaseRequest, OpenCasesRequest } from './reconciliation.requests';

export interface ReconciliationServicePorts {
  readonly cases: Pick<Cases, 'open' | 'find' | 'close' | 'recordApplied'>;
  readonly readModel: {
    readonly reconciliationCases: Pick<ReconciliationCaseQueries, 'page'>;
    readonly gateAttempts: Pick<GateAttemptsQueries, 'ofStreams'>;
    readonly operatorOrders: { byOrderId(merchants: readonly MerchantLogin[], orderId: string): Promise<OrderStatusRecord | undefined> };
  };
  readonly orders: Pick<ReconcileOrder, 'apply' | 'preview'>;
  readonly digests: Pick<ServiceDigests, 'onceKey'>;
  readonly gates: { find(alias: GateAlias): object | undefined };
  readonly audit: Pick<OperatorAudit, 'begin' | 'end'>;
}

type ListedCase = ReconciliationCaseRecord['view'] & { readonly caseId: string };
type CasesOpened = { readonly reason: 'opened'; readonly cases: readonly OpenedCase[] } | { readonly reason: 'unknown-gate' };
export type CaseClosing = { readonly reason: 'closed' | 'unknown-case' | 'opened-before' | 'closed-before' };
export type CaseApplying =
  | { readonly reason: 'applied'; readonly effect: 'reconciled' | 'resolved' | 'held-already'; readonly to: 'approved' | 'declined' }
  | { readonly reason: 'unknown-case' | 'closed-before' | 'opened-before' | 'nothing-to-apply' | 'unknown-order' }
  | { readonly reason: 'refused'; readonly why: Extract<Reconciled, { kind: 'refused' }>['reason'] };

export interface ListedCases {
  readonly cases: readonly ListedCase[];
  /** The cursor of the next page. Absent after the last one. */
  readonly next?: string;
}

/** One field of both sides. Null if a side does not have it. */
export interface CaseSide {
  readonly field: ComparedField;
  /** As compared when the case was opened. */
  readonly ours: string | null;
  readonly theirs: string | null;
  /** In our log at present; null if the case names no attempt of ours. */
  readonly oursNow: string | null;
  readonly isDifferent: boolean;
}

export interface CaseEffect {
  readonly caseId: string;
  readonly sides: readonly CaseSide[];
  /** The status that applying the case would set; null if it would set none. */
  readonly to: 'approved' | 'declined' | null;
  /** `resolved`: an open outcome would be inquired first, then resolved. Null if applying would be refused. */
  readonly effect: 'reconciled' | 'resolved' | 'held-already' | null;
  /** Why applying would be refused, as its route answers. */
  readonly refusal: string | null;
  /** Types of the events that would be recorded, the order's first. Events of an inquiry are not known before. */
  readonly records: readonly string[];
}

type CaseQuestion = Omit<CaseFilter, 'isOpen' | 'merchants'> & { readonly all?: boolean | undefined };

const amountText = (minor: bigint | string | undefined | null): string | null =>
  minor === undefined || minor === null ? null : formatAmount(BigInt(minor));

const theirsOf = ({ operation, told }: CaseOpened['data']): Readonly<Record<ComparedField, string | null>> => ({
  operation,
  status: told?.status ?? null,
  amount: amountText(told?.amount?.minor),
  currency: told?.amount?.currency ?? null,
  commission: amountText(told?.commissionMinor),
  'processed-at': told?.processedAt === undefined ? null : isoInstant(told.processedAt),
  'gate-order-id': told?.reference ?? null,
});

const oursOf = (attempt: GateAttemptView | undefined): Readonly<Record<ComparedField, string | null>> | undefined =>
  attempt && {
    operation: attempt.operation,
    status: attempt.status,
    amount: amountText(attempt.amountMinor),
    currency: attempt.currency,
    commission: amountText(attempt.commissionMinor),
    'processed-at': attempt.processedAt === null ? null : isoInstant(attempt.processedAt),
    'gate-order-id': attempt.gateOrderId,
  };

const wordOf = (told: NonNullable<CaseRequest['told']>): GateRecord => {
  const { status, amountMinor, currency, commissionMinor, processedAt, reference, line } = told;
  return {
    status,
    ...(amountMinor !== undefined && currency !== undefined && { amount: { minor: BigInt(amountMinor), currency: currency as Currency } }),
    ...(commissionMinor !== undefined && { commissionMinor: BigInt(commissionMinor) }),
    ...(processedAt !== undefined && { processedAt: processedAt as Instant }),
    ...(reference !== undefined && { reference }),
    ...(line !== undefined && { line }),
  };
};

const openedOf = (
  { kind, original, key, operation, order, differences, told }: CaseRequest,
  { gate, source, fileDigest }: Pick<OpenCasesRequest, 'gate' | 'source' | 'fileDigest'>,
): Omit<CaseOpened['data'], 'openedAt'> => ({
  gate: gate as GateAlias,
  kind,
  source,
  original,
  operation,
  differences: differences.map(({ field, ours, theirs }) => ({ field, ...present({ ours, theirs }) })),
  ...(key !== undefined && { key }),
  ...(order !== undefined && { order: { orderId: order.orderId, merchant: order.merchant, ...present({ followUp: order.followUp }) } }),
  ...(told !== undefined && { told: wordOf(told) }),
  ...(fileDigest !== undefined && { fileDigest }),
});

/** A case can be applied if the gate reports a final status of our request that differs from ours. */
const applicable = ({ kind, key, order, told, differences }: CaseOpened['data']) => {
  if (kind !== 'different' || key === undefined || order === undefined || told === undefined || told.status === 'open') return undefined;
  const isOfStatus = differences.some(({ field }) => field === 'status');
  // A different amount or currency would change more than the status.
  const isOfSum = differences.some(({ field }) => field === 'amount' || field === 'currency' || field === 'operation');
  return isOfStatus && !isOfSum ? { key: key as AttemptKey, order, to: told.status } : undefined;
};

/** Each action is recorded with its actor before it is done. */
export class ReconciliationService {
  constructor(private readonly ports: ReconciliationServicePorts) {}

  /** The oldest first, as far as the log is projected. Undefined for a cursor of another query. */
  async list(
    { all, ...filter }: CaseQuestion,
    { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
    { merchants }: Operator,
    deadline?: Deadline,
  ): Promise<ListedCases | undefined> {
    const { readModel, digests } = this.ports;
    const question = JSON.stringify(['cases', all === true, ...Object.entries(filter).sort(), merchants ?? null]);
    const place = cursor === undefined ? undefined : readCursor(digests, cursor, question);
    if (cursor !== undefined && place === undefined) return undefined;
    const after = place && { at: place.createdAt, stream: place.stream };
    const { records, next } = await readModel.reconciliationCases.page(
      { ...filter, isOpen: all !== true, merchants },
      { limit, after, deadline },
    );
    return {
      cases: records.map(({ stream, view }) => ({ caseId: caseIdOf(stream), ...view })),
      ...(next && { next: writeCursor(digests, { createdAt: next.at, stream: next.stream }, question) }),
    };
  }

  /** Both sides of a case, and the result of applying it now. Changes nothing. */
  async effect(caseId: string, operator: Operator): Promise<CaseEffect | undefined> {
    if (!isCaseId(caseId)) return undefined;
    const known = await this.#seen(caseId, operator);
    if (known.status === 'none') return undefined;
    const { opened } = known;
    const stream = opened.order === undefined ? undefined : await this.#streamOf(opened.order);
    const sides = await this.#sides(opened, stream);
    const wanted = known.status === 'open' ? applicable(opened) : undefined;
    const refused = (refusal: string): CaseEffect => ({ caseId, sides, to: wanted?.to ?? null, effect: null, refusal, records: [] });
    if (known.status !== 'open') return refused('closed-before');
    if (wanted === undefined) return refused('nothing-to-apply');
    if (stream === undefined) return refused('unknown-order');
    const { key, to } = wanted;
    const preview = await this.ports.orders.preview({ stream, key, gate: opened.gate, to, caseId });
    if (preview.kind === 'refused' && preview.reason !== 'nothing-new') return refused(preview.reason);
    const [effect, events] = preview.kind === 'refused' ? (['held-already', []] as const) : ([preview.kind, preview.events] as const);
    return { caseId, sides, to, effect, refusal: null, records: [...events, 'CaseApplied'] };
  }

  async #sides(opened: CaseOpened['data'], stream: StreamName | undefined): Promise<readonly CaseSide[]> {
    const { key, original, order, differences } = opened;
    const [record] = stream === undefined ? [] : await this.ports.readModel.gateAttempts.ofStreams([stream]);
    const attempt = record?.view.asked.find(
      (one) => one.key === (key ?? original) || (one.followUp !== null && one.followUp === order?.followUp),
    );
    const [now, theirs] = [oursOf(attempt), theirsOf(opened)];
    return COMPARED_FIELDS.map((field) => {
      const difference = differences.find((one) => one.field === field);
      const oursNow = now?.[field] ?? null;
      if (difference === undefined) return { field, ours: oursNow, theirs: theirs[field], oursNow, isDifferent: false };
      return { field, ours: difference.ours ?? null, theirs: difference.theirs ?? null, oursNow, isDifferent: true };
    });
  }

  open(request: OpenCasesRequest, acting: ActingOperator): Promise<CasesOpened> {
    const { gate, cases } = request;
    return act(this.ports.audit, acting, { action: 'open-cases', target: gate, done: ['opened'] }, async (by): Promise<CasesOpened> => {
      if (this.ports.gates.find(gate as GateAlias) === undefined) return { reason: 'unknown-gate' };
      const opened: OpenedCase[] = [];
      for (const found of cases) opened.push(await this.ports.cases.open(openedOf(found, request), by));
      return { reason: 'opened', cases: opened };
    });
  }

  async close(caseId: string, reason: string, acting: ActingOperator): Promise<CaseClosing> {
    if (!isCaseId(caseId)) return { reason: 'unknown-case' };
    return act(this.ports.audit, acting, { action: 'close-case', target: caseId, done: ['closed'] }, async (by): Promise<CaseClosing> => {
      const isSeen = acting.operator.merchants === undefined || (await this.#seen(caseId, acting.operator)).status !== 'none';
      return { reason: isSeen ? await this.ports.cases.close(caseId, reason, by) : 'unknown-case' };
    });
  }

  /** Changes the order first: if the case is not recorded then, a repeated request finds the changed order. */
  async apply(caseId: string, reason: string, acting: ActingOperator): Promise<CaseApplying> {
    if (!isCaseId(caseId)) return { reason: 'unknown-case' };
    return act(this.ports.audit, acting, { action: 'apply-case', target: caseId, done: ['applied'] }, (by) =>
      this.#apply(caseId, reason, acting.operator, by),
    );
  }

  /** What `apply` would change now, or why it would not. Changes nothing. */
  async preview(
    caseId: string,
    operator: Operator,
  ): Promise<
    | { readonly reason: 'possible'; readonly stream: StreamName; readonly merchant: MerchantLogin; readonly to: 'approved' | 'declined' }
    | Exclude<CaseApplying, { readonly reason: 'applied' | 'refused' }>
  > {
    const known: Case = isCaseId(caseId) ? await this.#seen(caseId, operator) : { status: 'none' };
    if (known.status === 'none') return { reason: 'unknown-case' };
    if (known.status !== 'open') return { reason: 'closed-before' };
    const wanted = applicable(known.opened);
    if (wanted === undefined) return { reason: 'nothing-to-apply' };
    const stream = await this.#streamOf(wanted.order);
    if (stream === undefined) return { reason: 'unknown-order' };
    return { reason: 'possible', stream, merchant: wanted.order.merchant as MerchantLogin, to: wanted.to };
  }

  async #apply(caseId: string, reason: string, operator: Operator, by: Actor): Promise<CaseApplying> {
    const { cases, orders } = this.ports;
    const known = await this.#seen(caseId, operator);
    if (known.status === 'none') return { reason: 'unknown-case' };
    if (known.status !== 'open') return { reason: 'closed-before' };
    const wanted = applicable(known.opened);
    if (wanted === undefined) return { reason: 'nothing-to-apply' };
    const { key, order, to } = wanted;
    const stream = await this.#streamOf(order);
    if (stream === undefined) return { reason: 'unknown-order' };
    const applied = await orders.apply({ stream, key, gate: known.opened.gate, to, caseId, reason }, by);
    if (applied.kind === 'refused' && applied.reason !== 'nothing-new') return { reason: 'refused', why: applied.reason };
    const effect = applied.kind === 'refused' ? 'held-already' : applied.kind;
    const recorded = await afterEffect(() => cases.recordApplied(caseId, { to, effect }, reason, by), VaultUnavailable);
    return recorded === 'applied' ? { reason: 'applied', effect, to } : { reason: recorded };
  }

  /** A case without an order concerns no merchant, so a limited operator does not see it. */
  async #seen(caseId: string, operator: Operator): Promise<Case> {
    const found = await this.ports.cases.find(caseId);
    return found.status === 'none' || seesMerchant(operator, found.opened.order?.merchant) ? found : { status: 'none' };
  }

  async #streamOf({ orderId, merchant }: NonNullable<CaseOpened['data']['order']>): Promise<StreamName | undefined> {
    if (!isOrderId(orderId)) return undefined;
    return (await this.ports.readModel.operatorOrders.byOrderId([merchant as MerchantLogin], orderId))?.stream;
  }
}
