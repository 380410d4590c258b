import type { ApprovalRule, Configuration, Operator } from '@app/configuration';
import {
  approvalCodec,
  approvalIdFor,
  approvalStream,
  type Approvals,
  causeOf,
  isApprovalId,
  type Decided,
  type ProposedAction,
  type ProposedConfiguration,
} from '@app/investigation/approvals';
import { VaultUnavailable } from '@app/card-vault';
import { afterEffect, readChained, type EventStore, type Position, type Revision, type StreamName } from '@app/event-store';
import { erasureStream } from '@app/investigation/erasure';
import type { OperatorAudit } from '@app/investigation/record';
import {
  act,
  approvalAsJson,
  byOf,
  CONFIGURATION_TARGET,
  mayAsk,
  seesMerchant,
  type ActingOperator,
  type ShownApproval,
} from '@app/investigation';
import { formatAmount, isCardRefId, isOrderId, present, type Clock, type Ids, type Money } from '@app/kernel';
import { foldApproval, logEventOf, type ApprovalView } from '@app/read-models';
import { isCaseId } from '@app/reconciliation';
import {
  lastStreamsOf,
  type Action,
  type Answers,
  type ApprovableActions,
  type Executor,
  type Possible,
  type Wish,
} from './approvable-actions';

/** The action needs, or had, an approval: its proposal. */
export interface UnderApproval {
  readonly reason: 'under-approval';
  readonly approval: ShownApproval;
}

/** Only an admin acts without a second person. */
export interface NotAdmin {
  readonly reason: 'not-admin';
}

/** The key of the request was used for another sum. */
interface KeyReused {
  readonly reason: 'key-reused';
}

export type Approving =
  | UnderApproval
  | { readonly reason: 'role'; readonly action: ApprovalView['action'] }
  | { readonly reason: 'unknown-approval' | 'own-proposal' | 'not-admin' | 'decided-before' | 'not-approved' };

interface FourEyesPorts {
  /** Read at each request: a change of the rules is decided by the rules before it. */
  readonly configuration: Pick<Configuration, 'approvals'>;
  readonly approvals: Pick<Approvals, 'find' | 'propose' | 'approve' | 'reject' | 'recordEnd' | 'reasonOf' | 'hasCaused' | 'revisionOf'>;
  readonly actions: Pick<ApprovableActions, 'executors' | 'order'>;
  readonly log: Pick<EventStore, 'read' | 'comparePositions'>;
  readonly audit: Pick<OperatorAudit, 'begin' | 'end'>;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** Rounds of a direct action whose order changes between its check and its execution. */
const ROUNDS_MAX = 5;

const needsApproval = ({ from }: ApprovalRule, weighed: Money | undefined): boolean => {
  const least = weighed && from.find(({ currency }) => currency === weighed.currency);
  return weighed === undefined || least === undefined || weighed.minor >= least.minor;
};

/** Whether a key was used for a proposal of another sum than this one. */
const isOtherSum = ({ amount, currency }: ShownApproval, minor: bigint | undefined, asked: string | undefined): boolean =>
  minor !== undefined && (amount !== formatAmount(minor) || (asked ?? currency) !== currency);

/**
 * Executes the operators' actions that the configuration makes subject to a second person: at once, or after an approval. The approval is durable
 * before its action. An approved action is executed once, also if a process ends in between: its events name the proposal as their cause.
 */
export class FourEyes {
  constructor(private readonly ports: FourEyesPorts) {}

  /**
   * @param isAlone an admin acts without a second person, which raises an alarm
   * @throws as the action
   */
  async perform<Of extends Action>(
    wish: Wish<Of>,
    { reason, isAlone }: { readonly reason: string; readonly isAlone: boolean },
    acting: ActingOperator,
  ): Promise<Answers[Of] | UnderApproval | NotAdmin> {
    const executor: Executor<Answers[Of]> = this.ports.actions.executors[wish.action];
    const rule = this.ports.configuration.approvals[executor.rule];
    if (rule === undefined) return executor.run(wish, reason, acting, undefined);
    const proposed = await this.#proposedBefore(wish, acting);
    // Only the requests that have a key are refused because of it.
    if (proposed !== undefined)
      return (await this.#again(proposed, wish, { reason, isAlone }, acting)) as Answers[Of] | UnderApproval | NotAdmin;
    for (let round = 1; ; round++) {
      const looked = await executor.look(wish, acting);
      if (looked.reason !== 'possible') return this.#refused(wish, looked, acting);
      const possible = looked;
      const { orderRevision, amount } = possible;
      if (needsApproval(rule, possible.weighed ?? amount)) {
        if (isAlone && acting.operator.role !== 'admin') return { reason: 'not-admin' };
        return (await this.#propose(wish, possible, { reason, isAlone }, acting)) as Answers[Of] | UnderApproval;
      }
      const exact = amount === undefined ? wish : { ...wish, amountMinor: amount.minor, currency: amount.currency };
      const answer = await executor.run(exact, reason, acting, orderRevision as Revision | undefined);
      if (answer.reason !== 'order-moved' || round >= ROUNDS_MAX) return answer;
    }
  }

  async approve(
    approvalId: string,
    { reason, isAlone }: { readonly reason?: string | undefined; readonly isAlone: boolean },
    acting: ActingOperator,
  ): Promise<Approving> {
    const isAdmin = acting.operator.role === 'admin';
    return this.#onApproval(approvalId, isAlone && isAdmin ? 'act-alone' : 'approve-action', acting, async (by) => {
      const decided = await this.ports.approvals.approve(approvalId, { isAdmin, isAlone, reason }, by);
      return this.#afterDecision(approvalId, decided, acting, by.actor);
    });
  }

  /** Executes an approved action whose result is not recorded, because a process ended or a store was away. */
  async execute(approvalId: string, acting: ActingOperator): Promise<Approving> {
    return this.#onApproval(approvalId, 'execute-action', acting, async () => {
      if ((await this.ports.approvals.find(approvalId)).status !== 'approved') return { reason: 'not-approved' };
      await this.#execute(approvalId, acting);
      return afterEffect(() => this.#shown(approvalId));
    });
  }

  async reject(approvalId: string, reason: string, acting: ActingOperator): Promise<Approving> {
    return this.#onApproval(approvalId, 'reject-action', acting, async (by) => {
      const decided = await this.ports.approvals.reject(approvalId, reason, by);
      return 'approval' in decided ? afterEffect(() => this.#shown(approvalId)) : { reason: 'decided-before' };
    });
  }

  /** Undefined if it does not exist, and equally if it concerns a merchant that the operator may not see. */
  async show(approvalId: string, operator: Pick<Operator, 'merchants'>): Promise<ShownApproval | undefined> {
    const approval = isApprovalId(approvalId) ? await this.#find(approvalId) : undefined;
    return approval !== undefined && seesMerchant(operator, approval.merchant ?? undefined) ? approval : undefined;
  }

  /** The proposal that an earlier request with the same key made. */
  async #proposedBefore({ action, target, merchant, keyDigest }: Wish, acting: ActingOperator): Promise<UnderApproval | undefined> {
    if (keyDigest === undefined) return undefined;
    const order = await this.ports.actions.order(target, merchant, acting);
    if (order === undefined) return undefined;
    const approval = await this.#find(approvalIdFor(action, order.possible.orderStream, keyDigest));
    return approval && { reason: 'under-approval', approval };
  }

  async #again(
    { approval }: UnderApproval,
    { amountMinor, currency }: Wish,
    { reason, isAlone }: { readonly reason: string; readonly isAlone: boolean },
    acting: ActingOperator,
  ): Promise<UnderApproval | NotAdmin | KeyReused> {
    const { approvalId } = approval;
    if (isOtherSum(approval, amountMinor, currency)) return { reason: 'key-reused' };
    if (isAlone && acting.operator.role !== 'admin') return { reason: 'not-admin' };
    if (isAlone) await this.approve(approvalId, { reason, isAlone }, acting);
    return this.#shown(approvalId);
  }

  #propose<Of extends Action>(
    { action, target, to, followUp, endsReferences, keyDigest }: Wish<Of>,
    { merchant, orderStream, orderRevision, amount, to: effect = to, configuration }: Possible,
    { reason, isAlone }: { readonly reason: string; readonly isAlone: boolean },
    acting: ActingOperator,
  ): Promise<UnderApproval | KeyReused> {
    const { audit, approvals, ids } = this.ports;
    const approvalId = approvalIdFor(...(keyDigest === undefined ? [ids.next()] : [action, orderStream, keyDigest]));
    const effects = { amount, to: effect, followUp, endsReferences, configuration };
    const proposed: ProposedAction = { action, target, orderStream, ...present({ merchant, orderRevision, keyDigest, ...effects }) };
    const kind = isAlone ? ('act-alone' as const) : ('propose-action' as const);
    return act(audit, acting, { action: kind, target, done: ['under-approval'] }, async (by): Promise<UnderApproval | KeyReused> => {
      await approvals.propose(approvalId, proposed, reason, by);
      return afterEffect(async () => {
        // Another request with this key may have been first.
        if (isOtherSum((await this.#shown(approvalId)).approval, amount?.minor, amount?.currency)) return { reason: 'key-reused' };
        if (isAlone) {
          const decided = await approvals.approve(approvalId, { isAdmin: true, isAlone }, by);
          await this.#afterDecision(approvalId, decided, acting, by.actor);
        }
        return this.#shown(approvalId);
      }, VaultUnavailable);
    });
  }

  /** Recorded like an action that was executed and refused. */
  async #refused<Of extends Action>(wish: Wish<Of>, answer: Answers[Of], acting: ActingOperator): Promise<Answers[Of]> {
    const { target } = wish;
    // What cannot be an id may be a card number.
    if (!isOrderId(target) && !isCaseId(target) && !isCardRefId(target) && target !== CONFIGURATION_TARGET) return answer;
    const { done } = this.ports.actions.executors[wish.action];
    return act(this.ports.audit, acting, { action: wish.action, target, done: done as readonly Answers[Of]['reason'][] }, () =>
      Promise.resolve(answer),
    );
  }

  async #onApproval(
    approvalId: string,
    action: 'approve-action' | 'act-alone' | 'reject-action' | 'execute-action',
    acting: ActingOperator,
    run: (by: ReturnType<typeof byOf>) => Promise<Approving>,
  ): Promise<Approving> {
    if (!isApprovalId(approvalId)) return { reason: 'unknown-approval' };
    return act(this.ports.audit, acting, { action, target: approvalId, done: ['under-approval'] }, async (by): Promise<Approving> => {
      const approval = await this.show(approvalId, acting.operator);
      if (approval === undefined) return { reason: 'unknown-approval' };
      if (!mayAsk(acting.operator.role, approval.action)) return { reason: 'role', action: approval.action };
      return run(by);
    });
  }

  async #afterDecision(approvalId: string, decided: Decided, acting: ActingOperator, approver: string): Promise<Approving> {
    if ('approval' in decided)
      return afterEffect(async () => {
        if (decided.approval.status === 'approved') await this.#execute(approvalId, acting);
        return this.#shown(approvalId);
      }, VaultUnavailable);
    if (decided.reason === 'own-proposal' || decided.reason === 'not-admin') return { reason: decided.reason };
    // The approver repeats the request after a lost answer.
    const known = await this.#find(approvalId);
    if (known?.decider !== approver || known.status === 'rejected') return { reason: 'decided-before' };
    if (known.status === 'approved') await this.#execute(approvalId, acting);
    return this.#shown(approvalId);
  }

  /** Twice is once: what the proposal already caused is not repeated. */
  async #execute(approvalId: string, acting: ActingOperator): Promise<void> {
    const { approvals } = this.ports;
    const known = await approvals.find(approvalId);
    if (known.status !== 'approved') return;
    const { action, ...proposed } = known.proposed;
    const by = byOf(acting);
    const isDone = (): Promise<boolean> => approvals.hasCaused(approvalId, lastStreamsOf(known.proposed));
    if (await isDone()) {
      await approvals.recordEnd(approvalId, { outcome: 'done' }, by);
      return;
    }
    const executor: Executor<{ readonly reason: string }> = this.ports.actions.executors[action];
    if ((await this.#hasMoved(approvalId, known.proposed)) || (await this.#isHeldAnew(approvalId, known.proposed))) {
      await approvals.recordEnd(approvalId, { outcome: 'refused', cause: executor.moved ?? 'order-moved' }, by);
      return;
    }
    const { target, merchant, amount, to, followUp, endsReferences, keyDigest, configuration } = proposed;
    const sum = { amountMinor: amount?.minor, currency: amount?.currency };
    const wish: Wish = { action, target, ...present({ merchant, ...sum, to, followUp, endsReferences, keyDigest, configuration }) };
    const reason = await approvals.reasonOf(proposed);
    const answer = await executor.run(
      wish,
      reason,
      { ...acting, cause: causeOf(approvalId) },
      proposed.orderRevision as Revision | undefined,
    );
    await afterEffect(async () => {
      const outcome = executor.done.includes(answer.reason) || (await isDone()) ? 'done' : 'refused';
      await approvals.recordEnd(approvalId, outcome === 'done' ? { outcome } : { outcome, cause: answer.reason }, by);
    });
  }

  /** Whether its stream has events that neither the proposer saw nor the proposal caused. */
  async #hasMoved(approvalId: string, { orderStream, orderRevision }: ProposedAction): Promise<boolean> {
    if (orderStream === undefined) return false;
    const { approvals } = this.ports;
    const stream = orderStream as StreamName;
    return (await approvals.revisionOf(stream)) !== orderRevision && !(await approvals.hasCaused(approvalId, [stream]));
  }

  /** Whether the hold to release is a later one than the proposer saw. */
  async #isHeldAnew(approvalId: string, { action, orderStream }: ProposedAction): Promise<boolean> {
    if (action !== 'release-hold' || orderStream === undefined) return false;
    const { log } = this.ports;
    let proposedAt: Position | undefined;
    for await (const { position } of log.read(approvalStream(approvalId))) proposedAt ??= position;
    for await (const { type, position } of log.read(erasureStream(orderStream)))
      if (type === 'LegalHoldPlaced' && proposedAt !== undefined && log.comparePositions(position, proposedAt) > 0) return true;
    return false;
  }

  async #shown(approvalId: string): Promise<UnderApproval> {
    const approval = await this.#find(approvalId);
    if (approval === undefined) throw new Error(`${approvalId}: no proposal after a decision`);
    return { reason: 'under-approval', approval };
  }

  /** From its stream. */
  async #find(approvalId: string): Promise<ShownApproval | undefined> {
    let view: ApprovalView | undefined;
    let configuration: ProposedConfiguration | undefined;
    for await (const stored of readChained(this.ports.log, approvalStream(approvalId))) {
      const event = approvalCodec.decode(stored);
      if (event.type === 'ActionProposed') ({ configuration } = event.data);
      view = foldApproval(view, logEventOf(stored, event));
    }
    return view && { ...approvalAsJson(approvalId, view, this.ports.clock.now()), ...present({ configuration }) };
  }
}
