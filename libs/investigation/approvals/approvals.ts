import type { OrderSealer } from '@app/card-vault';
import { eventId, load, metadataOf, runDecision, type Actor, type EventStore, type StoredEvent, type StreamName } from '@app/event-store';
import type { Clock, Ids, MerchantLogin, Sealed } from '@app/kernel';
import { approvalCodec, approvalStream } from './approval.codec';
import { approval, type Approval, type ApprovalCommand, type ApprovalRejection, type ProposedAction } from './domain/approval';

/** Name bound into the ciphertext of the reasons. */
export const APPROVAL_REASON = 'approval-reason';

interface ApprovalsPorts {
  readonly store: EventStore;
  readonly sealer: Pick<OrderSealer, 'takeKey' | 'unseal'>;
  readonly clock: Clock;
  readonly ids: Ids;
  /** True for an event that leaves its target as it was. */
  readonly isReport: (event: Pick<StoredEvent, 'type'>) => boolean;
}

interface Approving {
  readonly isAdmin: boolean;
  readonly isAlone: boolean;
  readonly reason?: string | undefined;
}

/** The decision's effect on the proposal, or why it has no effect. */
export type Decided = { readonly approval: Exclude<Approval, { readonly status: 'none' }> } | ApprovalRejection;

/** The id of the proposal's event: the cause of its action's events. */
export const causeOf = (approvalId: string): string => eventId(approvalStream(approvalId), approvalId, 0);

/** Records proposals and decisions. Executes nothing. */
export class Approvals {
  constructor(private readonly ports: ApprovalsPorts) {}

  async find(approvalId: string): Promise<Approval> {
    return (await load(this.ports.store, approvalStream(approvalId), approval, approvalCodec)).state;
  }

  /** A proposal with the same id is not made again. @throws StoreUnavailable, OutcomeUnknown, VaultUnavailable */
  async propose(approvalId: string, action: ProposedAction, reason: string, by: Actor): Promise<Decided> {
    const merchant = action.merchant ?? '';
    const data = { ...action, proposer: by.actor, reason: await this.#seal(merchant, reason), now: this.ports.clock.now() };
    return this.#decide(approvalId, { type: 'Propose', data }, { by, merchant, commandId: approvalId });
  }

  /** @throws StoreUnavailable, OutcomeUnknown, VaultUnavailable */
  async approve(approvalId: string, { isAdmin, isAlone, reason }: Approving, by: Actor): Promise<Decided> {
    const known = await this.find(approvalId);
    if (known.status === 'none') return { reason: 'unknown-proposal' };
    const { merchant = '', orderStream } = known.proposed;
    const orderRevision = orderStream === undefined ? undefined : await this.revisionOf(orderStream as StreamName);
    const sealed = reason === undefined ? undefined : await this.#seal(merchant, reason);
    const data = {
      approver: by.actor,
      isAdmin,
      isAlone,
      ...(orderRevision !== undefined && { orderRevision }),
      ...(sealed !== undefined && { reason: sealed }),
      now: this.ports.clock.now(),
    };
    return this.#decide(approvalId, { type: 'Approve', data }, { by, merchant });
  }

  /** @throws StoreUnavailable, OutcomeUnknown, VaultUnavailable */
  async reject(approvalId: string, reason: string, by: Actor): Promise<Decided> {
    const known = await this.find(approvalId);
    if (known.status === 'none') return { reason: 'unknown-proposal' };
    const { merchant = '' } = known.proposed;
    const data = { rejecter: by.actor, reason: await this.#seal(merchant, reason), now: this.ports.clock.now() };
    return this.#decide(approvalId, { type: 'Reject', data }, { by, merchant });
  }

  /** @throws StoreUnavailable, OutcomeUnknown */
  async recordEnd(approvalId: string, end: { readonly outcome: 'done' | 'refused'; readonly cause?: string }, by: Actor): Promise<Decided> {
    const known = await this.find(approvalId);
    if (known.status === 'none') return { reason: 'unknown-proposal' };
    const data = { ...end, now: this.ports.clock.now() };
    return this.#decide(approvalId, { type: 'RecordEnd', data }, { by, merchant: known.proposed.merchant ?? '' });
  }

  /** The proposer's reason. @throws VaultUnavailable, Error if its key was erased */
  async reasonOf({ merchant = '', reason }: { readonly merchant?: string; readonly reason: Sealed }): Promise<string> {
    const text = await this.ports.sealer.unseal(merchant as MerchantLogin, APPROVAL_REASON, reason);
    if (text === undefined) throw new Error('the key of a proposal’s reason was erased');
    return text;
  }

  /** Whether a stream has an event that the proposal caused. */
  async hasCaused(approvalId: string, streams: readonly StreamName[]): Promise<boolean> {
    const cause = causeOf(approvalId);
    for (const stream of streams)
      for await (const stored of this.ports.store.read(stream)) if (metadataOf(stored).causation === cause) return true;
    return false;
  }

  /** Of the newest event that is no report. */
  async revisionOf(stream: StreamName): Promise<bigint | undefined> {
    let revision: bigint | undefined;
    for await (const stored of this.ports.store.read(stream)) if (!this.ports.isReport(stored)) revision = stored.revision;
    return revision;
  }

  async #decide(
    approvalId: string,
    command: ApprovalCommand,
    { by, merchant, commandId = this.ports.ids.next() }: { readonly by: Actor; readonly merchant: string; readonly commandId?: string },
  ): Promise<Decided> {
    const { store, clock } = this.ports;
    const result = await runDecision({
      store,
      codec: approvalCodec,
      decider: approval,
      stream: approvalStream(approvalId),
      command,
      envelope: { correlation: approvalId, causation: approvalId, ...by, merchant, commandId, recordedAt: clock.now() },
    });
    if (result.kind === 'rejected') return result.rejection;
    if (result.state.status === 'none') throw new Error(`${approvalId}: no proposal after a decision`);
    return { approval: result.state };
  }

  async #seal(merchant: string, reason: string): Promise<Sealed> {
    return (await this.ports.sealer.takeKey()).seal(merchant as MerchantLogin, APPROVAL_REASON, reason);
  }
}
