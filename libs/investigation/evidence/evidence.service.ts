import type { OrderSealer, ServiceDigests } from '@app/card-vault';
import { assertInTime, type StreamName } from '@app/event-store';
import type { Clock, Deadline, Instant } from '@app/kernel';
import { gatherEvidence, NoEvidence, NotProven, type EvidencePorts } from './gather-evidence';
import { packEvidence } from './evidence-pack';
import type { SigningKey } from '../log-proofs/keys';
import { REVEAL_REASON } from '../record/operator-audit.events';
import type { OperatorAudit } from '../record/operator-audit';
import { byOf, type ActingOperator } from '../operator/acting-operator';
import type { NameAsked, OrderNames, OrderUnnamed } from '../operator/order-names';
import type { QuestionsOnRecord } from '../operator/questions-on-record';
import { TooManyEvents } from './related-events';

export interface EvidenceServicePorts {
  readonly evidence: EvidencePorts;
  readonly names: Pick<OrderNames, 'one'>;
  readonly sealer: Pick<OrderSealer, 'takeKey'>;
  readonly digests: Pick<ServiceDigests, 'onceKey'>;
  readonly audit: Pick<OperatorAudit, 'answered'>;
  readonly questions: Pick<QuestionsOnRecord, 'answered'>;
  /** Undefined where nothing is signed. */
  readonly key: SigningKey | undefined;
  /** The text of the program that checks a pack. */
  readonly verifier: string;
  readonly clock: Clock;
}

export interface EvidenceAsked extends NameAsked {
  readonly at: Instant | undefined;
  readonly reason: string;
  readonly deadline: Deadline;
}

export type EvidenceAnswer =
  | { readonly kind: 'pack'; readonly orderId: string; readonly zip: Uint8Array }
  /** Nothing is signed, or not yet that far; or there is no such order at that time. */
  | { readonly kind: 'refused'; readonly reason: string; readonly isLater: boolean }
  | OrderUnnamed;

/** Packs of evidence. Each is on record, with the grounds for it, before it leaves: the consumer's personal data are in it. */
export class EvidenceService {
  constructor(private readonly ports: EvidenceServicePorts) {}

  /** @throws StoreUnavailable, VaultUnavailable */
  async make(id: string, { merchant, by, at, reason, deadline }: EvidenceAsked, acting: ActingOperator): Promise<EvidenceAnswer> {
    const { key, verifier, clock, audit, questions, sealer } = this.ports;
    const signedAtMs = clock.now();
    if (key === undefined)
      return {
        kind: 'refused',
        reason: 'evidence packs need a signing key: set LOG_SIGNING_KEY; orch log key new <path> makes one',
        isLater: false,
      };
    if (at !== undefined && at > signedAtMs) return { kind: 'refused', reason: 'at lies in the future', isLater: false };
    const order = await this.ports.names.one(id, { merchant, by }, deadline);
    const made = order.kind === 'order' ? await this.#gathered(order.stream, at, deadline) : order;
    if ('kind' in made) {
      // That there is none, or none yet, is an answer as well.
      const question = { id, merchant, by, at };
      const about = order.kind === 'order' ? { orderId: order.orderId } : {};
      await questions.answered(acting, { query: 'order-evidence', ...about, question, rows: 0 });
      return made;
    }
    const { orderId, merchant: owner } = made.order;
    assertInTime(deadline);
    const zip = packEvidence(made, { verifier, key, signedAtMs });
    const sealed = (await sealer.takeKey(deadline)).seal(owner, REVEAL_REASON, reason);
    await audit.answered(byOf(acting), {
      query: 'order-evidence',
      role: acting.operator.role,
      target: orderId,
      filters: at === undefined ? [] : ['at'],
      digest: this.ports.digests.onceKey('audit question', ['order-evidence', orderId, String(made.at)]),
      format: 'zip',
      rows: made.events.length,
      revealed: { texts: Object.keys(made.facts['consumer'] ?? {}).length, reason: sealed },
    });
    return { kind: 'pack', orderId, zip };
  }

  async #gathered(
    stream: StreamName,
    at: Instant | undefined,
    deadline: Deadline,
  ): Promise<Awaited<ReturnType<typeof gatherEvidence>> | Extract<EvidenceAnswer, { readonly kind: 'refused' }>> {
    try {
      return await gatherEvidence(this.ports.evidence, stream, at, deadline);
    } catch (error) {
      if (error instanceof NotProven) return { kind: 'refused', reason: error.message, isLater: true };
      if (error instanceof NoEvidence || error instanceof TooManyEvents) return { kind: 'refused', reason: error.message, isLater: false };
      throw error;
    }
  }
}
