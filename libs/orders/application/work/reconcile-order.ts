import { isRejection, type AttemptKey, type Clock, type GateAlias, type Sealed } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import type { Actor, StreamName } from '@app/event-store';
import type { InquireAttempt } from '../gates/inquire-attempt';
import { SEALED_FIELDS, type DeviceOrderRejection, type ReconciledOutcome } from '../../domain';
import type { InquireFollowUp } from './inquire-follow-up';
import type { ResolveUnknownFollowUp, ResolveUnknownOutcome } from './resolve-unknown-outcome';
import type { OpenOrder, OrderCommand, OrderContexts } from '../order-context';
import type { OrderRecorder } from '../order-recorder';

export interface Reconciliation {
  readonly stream: StreamName;
  readonly key: AttemptKey;
  readonly gate: GateAlias;
  readonly to: ReconciledOutcome;
  readonly caseId: string;
  readonly reason: string;
}

export type Reconciled =
  | { readonly kind: 'reconciled' | 'resolved'; readonly order: OpenOrder }
  /** `answered-otherwise`: the gate's answer to an inquiry contradicts its settlement. */
  | { readonly kind: 'refused'; readonly reason: DeviceOrderRejection['reason'] | 'answered-otherwise' | 'order-moved' };

export interface ReconcileOrderPorts {
  readonly contexts: OrderContexts;
  readonly recorder: OrderRecorder;
  readonly sealer: Pick<OrderSealer, 'takeKey'>;
  readonly clock: Clock;
  readonly attempts: Pick<InquireAttempt, 'inquire'>;
  readonly followUps: Pick<InquireFollowUp, 'inquire'>;
  readonly unknownOutcomes: Pick<ResolveUnknownOutcome, 'resolve'>;
  readonly unknownFollowUps: Pick<ResolveUnknownFollowUp, 'resolve'>;
}

const followUpNumber = ({ processing }: OpenOrder, key: AttemptKey): number | undefined =>
  processing.followUps.find((one) => 'key' in one && one.key === key)?.number;

const isOpen = ({ processing }: OpenOrder, followUp: number | undefined): boolean => {
  if (followUp === undefined) return processing.end === undefined;
  const status = processing.followUps[followUp - 1]?.status;
  return status === 'started' || status === 'unknown';
};

const outcomeOf = ({ processing: { attempts, followUps } }: OpenOrder, key: AttemptKey, followUp: number | undefined) => {
  const asked = followUp === undefined ? attempts : followUps[followUp - 1];
  if (asked?.status === 'approved' && asked.key === key) return 'approved';
  // Only a refused attempt is followed by another.
  const isOver = asked?.status === 'declined' || asked?.status === 'failed' || asked?.status === 'not-asked';
  return isOver || (asked !== undefined && 'key' in asked && asked.key !== key) ? 'declined' : undefined;
};

type Refusal = Extract<Reconciled, { readonly kind: 'refused' }>;

/** `events`: the types that the order would get; none if they depend on an inquiry. */
export type ReconciliationPreview = { readonly kind: 'reconciled' | 'resolved'; readonly events: readonly string[] } | Refusal;

/** Nothing is recorded with it. */
const NO_REASON = '' as Sealed;

/** Why an open outcome is not resolved by this settlement. */
const refusalOf = ({ key, gate, to }: Omit<Reconciliation, 'reason'>, open: OpenOrder, number: number | undefined): Refusal | undefined => {
  const { attempts, followUps } = open.processing;
  const asked = number === undefined ? attempts : followUps[number - 1];
  const isMeant = asked !== undefined && 'key' in asked && asked.key === key && asked.gate === gate;
  if (!isMeant) return { kind: 'refused', reason: 'another-attempt' };
  const known = outcomeOf(open, key, number);
  return known === undefined ? undefined : { kind: 'refused', reason: known === to ? 'nothing-new' : 'order-not-final' };
};

/**
 * Applies a gate's settlement. A final status is changed by an event (protocol decisions, section 2). An open outcome gets an inquiry first, since
 * the gate's answer has more details than a file. If it stays open, it is resolved as by an operator.
 */
export class ReconcileOrder {
  constructor(private readonly ports: ReconcileOrderPorts) {}

  /** @throws Error if the stream is no order; StoreUnavailable, VaultUnavailable, OutcomeUnknown */
  async apply(reconciliation: Reconciliation, by: Actor): Promise<Reconciled> {
    const open = await this.ports.contexts.open(reconciliation.stream);
    const number = followUpNumber(open, reconciliation.key);
    return isOpen(open, number) ? this.#resolve(reconciliation, open, number, by) : this.#reconcile(reconciliation, open, number, by);
  }

  /** What `apply` would do now. Changes nothing and sends no inquiry, so an open outcome may become known otherwise first. */
  async preview(reconciliation: Omit<Reconciliation, 'reason'>): Promise<ReconciliationPreview> {
    const open = await this.ports.contexts.open(reconciliation.stream);
    const number = followUpNumber(open, reconciliation.key);
    if (isOpen(open, number)) return refusalOf(reconciliation, open, number) ?? { kind: 'resolved', events: [] };
    const decision = open.preview(this.#command(reconciliation, number, NO_REASON));
    if (isRejection(decision)) return { kind: 'refused', reason: decision.reason };
    return { kind: 'reconciled', events: decision.map(({ type }) => type) };
  }

  async #resolve(reconciliation: Reconciliation, open: OpenOrder, number: number | undefined, by: Actor): Promise<Reconciled> {
    const refused = refusalOf(reconciliation, open, number);
    if (refused !== undefined) return refused;
    const { stream, key, to, reason } = reconciliation;
    const { attempts, followUps: inquiries, unknownOutcomes, unknownFollowUps } = this.ports;
    const told = await (number === undefined ? attempts.inquire(open) : inquiries.inquire(open, number));
    const answered = outcomeOf(told, key, number);
    if (answered !== undefined)
      return answered === to ? { kind: 'resolved', order: told } : { kind: 'refused', reason: 'answered-otherwise' };
    const resolution = await (number === undefined
      ? unknownOutcomes.resolve(stream, { as: to, reason, by, meant: key })
      : unknownFollowUps.resolve(stream, { number, as: to, reason, by }));
    return resolution.kind === 'resolved' ? { kind: 'resolved', order: resolution.order } : resolution;
  }

  async #reconcile(reconciliation: Reconciliation, open: OpenOrder, number: number | undefined, by: Actor): Promise<Reconciled> {
    const { recorder, sealer } = this.ports;
    const sealed = (await sealer.takeKey()).seal(open.order.merchant, SEALED_FIELDS.settlementReason, reconciliation.reason);
    const claim = await recorder.claimWithRetries(open, () => this.#command(reconciliation, number, sealed), { by });
    return claim.kind === 'appended' ? { kind: 'reconciled', order: claim.order } : { kind: 'refused', reason: claim.rejection.reason };
  }

  #command({ key, gate, to, caseId }: Omit<Reconciliation, 'reason'>, number: number | undefined, reason: Sealed): OrderCommand {
    const grounds = { gate, to, caseId, reason, now: this.ports.clock.now() };
    return number === undefined
      ? { type: 'ReconcileOutcome', receiptId: this.ports.recorder.receiptId(), data: { key, ...grounds } }
      : { type: 'ReconcileFollowUp', data: { number, ...grounds } };
  }
}
