import type { AttemptKey, Clock, GateAlias } from '@app/kernel';
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

  async #resolve(
    { stream, key, gate, to, reason }: Reconciliation,
    open: OpenOrder,
    number: number | undefined,
    by: Actor,
  ): Promise<Reconciled> {
    const { attempts: newest, followUps } = open.processing;
    const asked = number === undefined ? newest : followUps[number - 1];
    const isMeant = asked !== undefined && 'key' in asked && asked.key === key && asked.gate === gate;
    if (!isMeant) return { kind: 'refused', reason: 'another-attempt' };
    const known = outcomeOf(open, key, number);
    if (known !== undefined) return { kind: 'refused', reason: known === to ? 'nothing-new' : 'order-not-final' };
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

  async #reconcile(
    { key, gate, to, caseId, reason }: Reconciliation,
    open: OpenOrder,
    number: number | undefined,
    by: Actor,
  ): Promise<Reconciled> {
    const { recorder, sealer, clock } = this.ports;
    const sealed = (await sealer.takeKey()).seal(open.order.merchant, SEALED_FIELDS.settlementReason, reason);
    const command = (): OrderCommand => {
      const grounds = { gate, to, caseId, reason: sealed, now: clock.now() };
      return number === undefined
        ? { type: 'ReconcileOutcome', receiptId: recorder.receiptId(), data: { key, ...grounds } }
        : { type: 'ReconcileFollowUp', data: { number, ...grounds } };
    };
    const claim = await recorder.claimWithRetries(open, command, { by });
    return claim.kind === 'appended' ? { kind: 'reconciled', order: claim.order } : { kind: 'refused', reason: claim.rejection.reason };
  }
}
