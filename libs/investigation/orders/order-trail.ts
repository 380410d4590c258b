import type { OrderSealer, ServiceDigests } from '@app/card-vault';
import { cardReferenceStream } from '@app/card-registration';
import { deliveryKey, deliveryStream } from '@app/callbacks';
import {
  BrokenChain,
  categoryOf,
  metadataOf,
  readChained,
  readsWithin,
  type AnyEvent,
  type EventStore,
  type FieldEntry,
  type StoredEvent,
  type StreamName,
} from '@app/event-store';
import type { CardRefId, Deadline, MerchantLogin } from '@app/kernel';
import { decodeAny, EVENT_CODECS } from '@app/read-models/queries';
import type { CallbackTarget, MappedReferences } from '@app/orders/events';
import { isMereQuestion, type Mention, type MentionQueries } from '@app/read-models';
import { caseIdOf, RECONCILIATION_CATEGORY } from '@app/reconciliation';
import { APPROVAL_CATEGORY, approvalIdOf } from '../approvals/approval.codec';
import { erasureStream } from '../erasure/erasure.codec';
import { auditInstant } from './audit-instant';
import { concealSealed, sealedTexts, revealedTexts } from './sealed-texts';
import type { TrailEntry } from './trail-entry';

export interface OrderTrailPorts {
  readonly log: Pick<EventStore, 'read' | 'comparePositions'>;
  readonly readModel: { readonly mentions: Pick<MentionQueries, 'of' | 'questionsAbout'> };
  readonly digests: Pick<ServiceDigests, 'cardRefId'>;
  readonly sealer: Pick<OrderSealer, 'unseal'>;
}

export interface OrderTrail {
  readonly entries: readonly TrailEntry[];
  readonly events: readonly StoredEvent[];
  readonly revealedTexts: number;
  /** True if the order has more events than a trail can contain. */
  readonly isCutShort: boolean;
  /** True if queries are left out: events take precedence. */
  readonly areQuestionsCut: boolean;
}

/** Enough for an order with its callbacks and operator actions. Queries about it may exceed it. */
const ENTRIES_MAX = 5_000;
/** One more than fits, so that a shortened trail is reported as cut. */
const MENTIONS_MAX = ENTRIES_MAX + 1;

interface Read {
  readonly stored: StoredEvent;
  readonly event: AnyEvent | undefined;
  readonly problem: string | null;
}

const FIELDS: ReadonlyMap<string, readonly FieldEntry[]> = new Map(
  EVENT_CODECS.flatMap((codec) => codec.describe().map(({ category, type, fields }) => [`${category} ${type}`, fields] as const)),
);

/** Streams that belong to one order, with the id by which operator actions name them. */
const WHOLE: Readonly<Record<string, (stream: StreamName) => string>> = {
  [RECONCILIATION_CATEGORY]: caseIdOf,
  [APPROVAL_CATEGORY]: approvalIdOf,
};

const CHAIN_BROKEN = 'the chain of the stream is broken here: later events are not shown';

const isQuestion = ({ event }: Read): boolean => event !== undefined && isMereQuestion(event.data);

const readOf = (stored: StoredEvent): Read => {
  try {
    const event = decodeAny(stored);
    return { stored, event, problem: event === undefined ? 'its category is not known to this release' : null };
  } catch {
    return { stored, event: undefined, problem: 'this release cannot read it' };
  }
};

interface Naming {
  readonly orderId?: string;
  readonly cardRefId?: CardRefId;
  readonly source?: { readonly cardRefId?: CardRefId };
  readonly destination?: { readonly cardRefId?: CardRefId };
  readonly callbacks?: readonly CallbackTarget[];
}

/**
 * Complete audit trail of an order in log order: events, gate traffic, card references, callbacks, erasures, reconciliation cases, approvals, operator actions and queries.
 * Queries never displace events.
 */
export class OrderTrails {
  constructor(private readonly ports: OrderTrailPorts) {}

  /**
   * @param isRevealed shows sealed texts; the caller must record this before it returns the trail
   * @throws StoreUnavailable, also after the deadline; VaultUnavailable
   */
  async of(
    stream: StreamName,
    {
      isRevealed,
      areQuestionsTold = true,
      deadline,
    }: {
      readonly isRevealed: boolean;
      /** False leaves out operators' queries that revealed nothing. */
      readonly areQuestionsTold?: boolean;
      readonly deadline?: Deadline;
    },
  ): Promise<OrderTrail | undefined> {
    const log = readsWithin(this.ports.log, deadline);
    const own = await this.#whole(log, stream);
    const [first] = own;
    if (first === undefined) return undefined;
    const merchant = metadataOf(first.stored).merchant as MerchantLogin;
    const { streams, names, subjects } = this.#belongings(own, merchant);
    const reads = [...own];
    for (const other of streams) reads.push(...(await this.#whole(log, other)));
    for await (const some of this.#mentioned(log, names, deadline)) {
      reads.push(...some);
      if (reads.length > ENTRIES_MAX) break;
    }
    const happened = this.#inOrder(reads.filter((read) => !isQuestion(read)));
    const firstOnes = happened.slice(0, ENTRIES_MAX);
    const room = ENTRIES_MAX - firstOnes.length;
    const questions = areQuestionsTold ? await this.#questions(log, subjects, room + 1, deadline) : [];
    const told = this.#inOrder([...firstOnes, ...questions.slice(0, room)]);
    const numbers = new Map(told.map(({ stored }, index) => [stored.id as string, index + 1]));
    let revealed = 0;
    const entries: TrailEntry[] = [];
    for (const [index, read] of told.entries()) {
      const { data, texts } = await this.#dataOf(read, merchant, isRevealed, deadline);
      revealed += texts;
      entries.push(entryOf(read, index + 1, numbers, data));
    }
    return {
      entries,
      events: told.map(({ stored }) => stored),
      revealedTexts: revealed,
      isCutShort: happened.length > ENTRIES_MAX,
      areQuestionsCut: questions.length > room,
    };
  }

  #inOrder(reads: readonly Read[]): readonly Read[] {
    const { log } = this.ports;
    return [...new Map(reads.map((read) => [read.stored.id, read])).values()].sort((a, b) =>
      log.comparePositions(a.stored.position, b.stored.position),
    );
  }

  async #questions(
    log: Pick<EventStore, 'read'>,
    subjects: Iterable<string>,
    max: number,
    deadline: Deadline | undefined,
  ): Promise<readonly Read[]> {
    const reads: Read[] = [];
    for (const orderId of subjects) {
      for (const place of await this.ports.readModel.mentions.questionsAbout(orderId, max - reads.length, deadline)) {
        const read = await this.#at(log, place);
        if (read !== undefined && isQuestion(read)) reads.push(read);
      }
      if (reads.length >= max) break;
    }
    return this.#inOrder(reads);
  }

  async #at(log: Pick<EventStore, 'read'>, { stream, revision }: Mention): Promise<Read | undefined> {
    for await (const stored of log.read(stream, revision)) return readOf(stored);
    return undefined;
  }

  async #whole(log: Pick<EventStore, 'read'>, stream: StreamName): Promise<readonly Read[]> {
    const reads: Read[] = [];
    try {
      for await (const stored of readChained(log, stream)) if (reads.push(readOf(stored)) > ENTRIES_MAX) break;
    } catch (error) {
      if (!(error instanceof BrokenChain)) throw error;
      reads.push({ stored: error.event, event: undefined, problem: CHAIN_BROKEN });
    }
    return reads;
  }

  /** Streams of the order's cards and deliveries, and the names by which other streams mention it. */
  #belongings(own: readonly Read[], merchant: MerchantLogin) {
    const [streams, names, subjects] = [new Set<StreamName>(), new Set<string>(), new Set<string>()];
    const [first] = own;
    if (first !== undefined) streams.add(erasureStream(first.stored.stream));
    // Queries about a single event name its stream.
    if (first !== undefined) subjects.add(first.stored.stream);
    for (const { stored, event } of own) {
      names.add(stored.stream);
      if (event === undefined) continue;
      const { orderId, cardRefId, source, destination, callbacks } = event.data as Naming & Partial<MappedReferences>;
      if (typeof orderId === 'string') {
        names.add(orderId);
        subjects.add(orderId);
        for (const use of ['source', 'destination'] as const)
          streams.add(cardReferenceStream(merchant, this.ports.digests.cardRefId(merchant, orderId as never, use)));
      }
      for (const reference of [cardRefId, source?.cardRefId, destination?.cardRefId])
        if (reference !== undefined) streams.add(cardReferenceStream(merchant, reference));
      // Acceptances contain targets too, but only final events are delivered.
      if (callbacks === undefined || event.type === 'FollowUpAccepted') continue;
      for (const target of callbacks) {
        streams.add(deliveryStream(stored.id, target));
        names.add(deliveryKey(stored.id, target));
      }
    }
    return { streams, names, subjects };
  }

  /** Operator actions and reveals on these names with their outcomes, and reconciliation cases and approvals of the order with their results. */
  async *#mentioned(
    log: Pick<EventStore, 'read'>,
    names: Iterable<string>,
    deadline: Deadline | undefined,
  ): AsyncGenerator<readonly Read[]> {
    const open = [...names];
    const known = new Set(open);
    const follow = (name: string): void => {
      if (known.has(name)) return;
      known.add(name);
      open.push(name);
    };
    for (let name = open.shift(); name !== undefined; name = open.shift()) {
      for (const { stream, revision } of await this.ports.readModel.mentions.of(name, MENTIONS_MAX, deadline)) {
        const idOf = WHOLE[categoryOf(stream)];
        if (idOf !== undefined) {
          follow(idOf(stream));
          yield await this.#whole(log, stream);
          continue;
        }
        const read = await this.#at(log, { stream, revision });
        if (read === undefined) continue;
        const { actionId } = (read.event?.data ?? {}) as { readonly actionId?: string };
        if (actionId !== undefined && read.event?.type === 'OperatorActionBegun') follow(actionId);
        yield [read];
      }
    }
  }

  async #dataOf(
    { stored, event }: Read,
    merchant: MerchantLogin,
    isRevealed: boolean,
    deadline: Deadline | undefined,
  ): Promise<{ readonly data: object | null; readonly texts: number }> {
    if (event === undefined) return { data: null, texts: 0 };
    const category = categoryOf(stored.stream);
    const fields = FIELDS.get(`${category} ${event.type}`) ?? [];
    const shown = isRevealed
      ? await revealedTexts(this.ports.sealer, { category, type: event.type, merchant }, sealedTexts(event.data, fields), deadline)
      : undefined;
    return { data: concealSealed(event.data, fields, shown) as object, texts: shown?.size ?? 0 };
  }
}

const entryOf = ({ stored, problem }: Read, number: number, numbers: ReadonlyMap<string, number>, data: object | null): TrailEntry => {
  const { recordedAt, actor, claimedActor, merchant, correlation, causation } = metadataOf(stored);
  return {
    number,
    at: auditInstant(recordedAt),
    category: categoryOf(stored.stream),
    type: stored.type,
    actor,
    claimedActor: claimedActor ?? null,
    merchant,
    stream: stored.stream,
    revision: Number(stored.revision),
    eventId: stored.id,
    correlation,
    causation,
    causedBy: numbers.get(causation) ?? null,
    problem,
    data,
  };
};
