import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CardVault, OrderSealer, ServiceDigests } from '@app/card-vault';
import { packageRoot, type Accounts, type OrchestratorEnvironment } from '@app/configuration';
import { type CallbackFacts, callbackRequest, type CallbackFact } from '@app/callbacks';
import { type EventStore, assertInTime, type StreamName, looksLikeCardNumber, type EventId } from '@app/event-store';
import type { Clock, Instant, Deadline } from '@app/kernel';
import { type ReadModel, NAMED_STREAMS_MAX } from '@app/read-models';
import type { DeliveryIdentity } from '@app/callbacks/events';
import type { OrderTrails } from '../orders/order-trail';
import type { ReadableLog } from '../log-proofs/log-leaf';
import type { SigningKey, VerifyKey } from '../log-proofs/keys';
import type { OperatorAudit } from '../record/operator-audit';
import type { OrderNames } from '../operator/order-names';
import type { QuestionsOnRecord } from '../operator/questions-on-record';
import { EvidenceService } from './evidence.service';
import { relatedEvents } from './related-events';
import { EventProofs } from '../log-proofs/event-proof';
import { FilesPlace } from '../log-proofs/checkpoint-places';
import { FolderFiles, type ProofFiles } from '../log-proofs/proof-files';
import { NotProven, type EvidencePorts, type SentCallback } from './gather-evidence';
import { OriginDamaged, readOrigin } from '../log-proofs/checkpoint-issuer';
import { TileDamaged } from '../log-proofs/tiles';
import { WITHHELD } from './withheld';
import type { RelatedEvent } from './related-event';

/**
 * The text of the program that checks a pack. The build copies it beside the programs; a checkout that was not built has it elsewhere.
 * @param root the folder of package.json
 */
const readVerifier = (root: string): string => {
  const built = join(root, 'dist', 'evidence', 'verify.py');
  return readFileSync(existsSync(built) ? built : join(root, 'libs', 'investigation', 'evidence', 'verify.py'), 'utf8');
};

/** Only a callback that was tried was sent: one that is due alone has no event. */
const TRIED: ReadonlySet<string> = new Set(['CallbackDelivered', 'CallbackFailed', 'CallbackExhausted']);

/** Content of a callback does not depend on when it is tried; headers do, and are not told. */
const WHENEVER = 0 as Instant;

/** Members that hold what a payer or a merchant typed. The others are numbers of orders and gates, of which one in ten would be taken for a card's. */
const TYPED = ['name', 'card-holder-name', 'email', 'merchantdata'] as const;

/** Makes the callbacks of an order again, as every try of them sends the same bytes (safety, I5), under the keys of today's configuration. */
class SentCallbacks {
  constructor(
    private readonly facts: CallbackFacts,
    private readonly accounts: Pick<Accounts, 'merchant'>,
  ) {}

  /** @throws what store and vault throw; StoreUnavailable also where the deadline is over */
  async of(events: readonly RelatedEvent[], deadline?: Deadline): Promise<readonly SentCallback[]> {
    const tried = new Map<string, DeliveryIdentity>();
    for (const { stored } of events) if (TRIED.has(stored.type)) tried.set(stored.stream, JSON.parse(stored.data) as DeliveryIdentity);
    const sent: SentCallback[] = [];
    for (const { factId, target, orderStream } of tried.values()) {
      assertInTime(deadline);
      const fact = await this.facts.factOf(orderStream, factId, target);
      // What a merchant server is notified of is in the timeline; its message holds the session of the consumer's device.
      if (fact?.kind === 'notification') continue;
      sent.push({ webhookId: factId, target, content: fact === undefined ? null : this.#contentOf(factId, fact) });
    }
    return sent;
  }

  #contentOf(factId: EventId, fact: CallbackFact): string | null {
    const merchant = this.accounts.merchant(fact.merchant);
    if (merchant === undefined) return null;
    if (TYPED.some((name) => looksLikeCardNumber(fact.members[name] ?? ''))) return WITHHELD;
    const { body, query } = callbackRequest(factId, fact, fact.members, merchant, WHENEVER);
    return body ?? query ?? '';
  }
}

/** References under which one merchant registered one card before: the newest of them are looked at. */
export const REFERENCES_MAX = 1_000;
/** Orders of one card, of all merchants, among which the newest are looked for. */
export const NAMED_MAX = 2_000;

/** Finds the orders that a merchant had of a card before another, by the card itself and by every reference to it. */
export const ordersOfCard =
  ({ search, cardReferences, orderList }: Pick<ReadModel, 'search' | 'cardReferences' | 'orderList'>): EvidencePorts['ordersOfCard'] =>
  async ({ merchant, uid, before }, limit, deadline) => {
    // Only what was there before the order counts, so that a pack that is made again is the same however often the card is registered since.
    const issued = await cardReferences.byCard(merchant, uid, REFERENCES_MAX + 1, before);
    const references = issued.slice(0, REFERENCES_MAX);
    let isCut = issued.length > REFERENCES_MAX;
    const named = new Set<StreamName>();
    for (const identifier of [uid, ...references.map(({ view }) => view.cardRefId)]) {
      assertInTime(deadline);
      const streams = await search.streamsNamed(identifier, { limit: NAMED_MAX + 1, ...(deadline !== undefined && { deadline }) });
      isCut ||= streams.length > NAMED_MAX;
      for (const stream of streams.slice(0, NAMED_MAX)) named.add(stream);
    }
    const all = [...named];
    const found: { readonly stream: StreamName; readonly at: Instant }[] = [];
    for (let from = 0; from < all.length; from += NAMED_STREAMS_MAX) {
      const streams = all.slice(from, from + NAMED_STREAMS_MAX);
      const page = await orderList.page(
        { merchant, createdTo: before },
        { limit: streams.length, named: { streams }, ...(deadline !== undefined && { deadline }) },
      );
      found.push(...page.orders.map(({ stream, view }) => ({ stream, at: view.acceptedAt })));
    }
    // Streams of one moment by their names: whoever asks again gets the same.
    found.sort((a, b) => b.at - a.at || (a.stream < b.stream ? -1 : 1));
    return { streams: found.slice(0, limit).map(({ stream }) => stream), isCut: isCut || found.length > limit };
  };

/**
 * Proves events by the tree that is kept beside the log.
 * @param directory of the tree
 */
const provedBy =
  (log: ReadableLog, directory: string, key: VerifyKey | undefined): EvidencePorts['prove'] =>
  async (events, deadline) => {
    const files = new FolderFiles(directory);
    const origin = await originIn(files);
    if (origin === undefined) throw new NotProven('no checkpoint of the log is signed here yet');
    const made = await together({ log, files, places: [new FilesPlace(directory, files)], key, origin, deadline }, events);
    switch (made.kind) {
      case 'places':
        return made;
      case 'not-covered':
        throw new NotProven('no checkpoint reaches the newest of its events yet: one is signed every ten seconds');
      case 'event-differs':
        throw new NotProven('the log has another event than the one that was written in its place: orch log verify tells which');
      case 'no-leaf':
        throw new NotProven('an event of it has no hash chain, and is not in the tree');
    }
  };

const originIn = async (files: ProofFiles): Promise<string | undefined> => {
  try {
    return await readOrigin(files);
  } catch (error) {
    if (error instanceof OriginDamaged) throw new NotProven(error.message);
    throw error;
  }
};

const together = async (source: Parameters<typeof EventProofs.open>[0], events: Parameters<EventProofs['together']>[0]) => {
  try {
    return await (await EventProofs.open(source)).together(events);
  } catch (error) {
    if (error instanceof TileDamaged) throw new NotProven(`the tree of the log cannot be used: ${error.message}`);
    throw error;
  }
};

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
