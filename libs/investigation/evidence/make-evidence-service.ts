import type { CardVault, OrderSealer, ServiceDigests } from '@app/card-vault';
import { packageRoot, type Accounts, type OrchestratorEnvironment } from '@app/configuration';
import type { CallbackFacts } from '@app/callbacks';
import type { EventStore } from '@app/event-store';
import type { Clock } from '@app/kernel';
import type { ReadModel } from '@app/read-models';
import type { OrderTrails } from '../orders/order-trail';
import type { ReadableLog } from '../log-proofs/log-leaf';
import type { SigningKey } from '../log-proofs/keys';
import type { OperatorAudit } from '../record/operator-audit';
import type { OrderNames } from '../operator/order-names';
import type { QuestionsOnRecord } from '../operator/questions-on-record';
import { EvidenceService } from './evidence.service';
import { provedBy } from './evidence-log-tree';
import { ordersOfCard } from './orders-of-card';
import { relatedEvents } from './related-events';
import { SentCallbacks } from './sent-callbacks';
import { readVerifier } from './verifier';

export interface EvidenceParts {
  readonly log: EventStore & ReadableLog;
  readonly readModel: Pick<ReadModel, 'search' | 'cardReferences' | 'orderList'>;
  readonly trails: OrderTrails;
  readonly names: OrderNames;
  readonly vault: CardVault & OrderSealer & ServiceDigests;
  readonly facts: CallbackFacts;
  readonly accounts: Accounts;
  readonly audit: OperatorAudit;
  readonly questions: QuestionsOnRecord;
  readonly key: SigningKey | undefined;
  readonly environment: Pick<OrchestratorEnvironment, 'logProofsDir'>;
  readonly clock: Clock;
}

/** Joins what a pack is made of. */
export const evidenceService = (parts: EvidenceParts): EvidenceService => {
  const { log, readModel, trails, vault, facts, accounts, key, environment } = parts;
  const sent = new SentCallbacks(facts, accounts);
  return new EvidenceService({
    ...parts,
    sealer: vault,
    digests: vault,
    verifier: readVerifier(packageRoot()),
    evidence: {
      log,
      sealer: vault,
      ordersOfCard: ordersOfCard(readModel),
      relatedEvents: (stream, deadline) => relatedEvents(trails, stream, deadline),
      sentCallbacks: (events, deadline) => sent.of(events, deadline),
      prove: provedBy(log, environment.logProofsDir, key?.verifier),
    },
  });
};
