import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OrderSealer, ServiceDigests } from '@app/card-vault';
import { packageRoot } from '@app/configuration';
import { assertInTime } from '@app/event-store';
import type { Clock, Deadline, Instant } from '@app/kernel';
import { gatherEvidence, type EvidenceSources, NoEvidence } from './gather-evidence';
import { packEvidence, type PackPrograms } from './evidence-pack';
import type { SigningKey } from '../log-proofs/checkpoint';
import { REVEAL_REASON } from '../record/operator-audit.events';
import type { OperatorAudit } from '../record/operator-audit';
import { byOf, type ActingOperator, type QueryAudit } from '../operator/operator-access';
import type { OrderLookup, OrderNames, OrderUnnamed } from '../operator/order-names';

/**
 * The build copies the verifier, and writes the page's script, next to the programs; in a checkout without a build the verifier is
 * elsewhere, and there is no script.
 * @param root the folder of package.json
 */
const readPrograms = (root: string): PackPrograms => {
  const [built, script] = ['verify.py', 'open.js'].map((name) => join(root, 'dist', 'evidence', name)) as [string, string];
  const source = join(root, 'libs', 'investigation', 'evidence', 'verify.py');
  return {
    verifier: readFileSync(existsSync(built) ? built : source, 'utf8'),
    script: existsSync(script) ? readFileSync(script, 'utf8') : '',
  };
};

interface EvidenceParts extends EvidenceSources {
  readonly names: OrderNames;
  readonly vault: OrderSealer & ServiceDigests;
  readonly audit: OperatorAudit;
  readonly questions: QueryAudit;
  readonly key: SigningKey | undefined;
  readonly clock: Clock;
}

interface EvidenceAsked extends OrderLookup {
  readonly at: Instant | undefined;
  readonly reason: string;
  readonly deadline: Deadline;
}

type EvidenceAnswer =
  | { readonly kind: 'pack'; readonly orderId: string; readonly zip: Uint8Array }
  /** Signing is off or has not reached the events yet, or the order did not exist at that time. */
  | { readonly kind: 'refused'; readonly reason: string; readonly isLater: boolean }
  | OrderUnnamed;

export class EvidenceService {
  readonly #programs = readPrograms(packageRoot());

  constructor(private readonly parts: EvidenceParts) {}

  /** Each pack contains personal data, so it is recorded, with its reason, before it is returned. @throws StoreUnavailable, VaultUnavailable */
  async make(id: string, { merchant, by, at, reason, deadline }: EvidenceAsked, acting: ActingOperator): Promise<EvidenceAnswer> {
    const { names, vault, audit, questions, key, clock } = this.parts;
    const signedAtMs = clock.now();
    if (key === undefined)
      return {
        kind: 'refused',
        reason: 'evidence packs need a signing key: set LOG_SIGNING_KEY; orch log key new <path> makes one',
        isLater: false,
      };
    if (at !== undefined && at > signedAtMs) return { kind: 'refused', reason: 'at is in the future', isLater: false };
    const order = await names.one(id, { merchant, by }, acting.operator, deadline);
    const made =
      order.kind === 'order'
        ? await gatherEvidence(this.parts, { stream: order.stream, at, key: key.verifier }, deadline).catch(refused)
        : order;
    if ('kind' in made) {
      // A refusal is recorded too.
      const question = { id, merchant, by, at };
      const about = order.kind === 'order' ? { orderId: order.orderId } : {};
      await questions.answered(acting, { query: 'order-evidence', ...about, question, rows: 0 });
      return made;
    }
    const { orderId, merchant: owner } = made.order;
    assertInTime(deadline);
    const zip = packEvidence(made, { ...this.#programs, key, signedAtMs });
    const sealed = (await vault.takeKey(deadline)).seal(owner, REVEAL_REASON, reason);
    await audit.answered(byOf(acting), {
      query: 'order-evidence',
      role: acting.operator.role,
      target: orderId,
      filters: at === undefined ? [] : ['at'],
      digest: vault.onceKey('audit question', ['order-evidence', orderId, String(made.at)]),
      format: 'zip',
      rows: made.events.length,
      revealed: { texts: Object.keys(made.facts['consumer'] ?? {}).length, reason: sealed },
    });
    return { kind: 'pack', orderId, zip };
  }
}

/** @throws any error except NoEvidence */
const refused = (error: unknown): Extract<EvidenceAnswer, { readonly kind: 'refused' }> => {
  if (error instanceof NoEvidence) return { kind: 'refused', reason: error.message, isLater: error.isLater };
  throw error;
};
