import type { Operator } from '@app/configuration';
import {
  hashOf,
  metadataOf,
  positionLike,
  readsWithin,
  type Position,
  type Revision,
  type StoredEvent,
  type StreamName,
} from '@app/event-store';
import type { Deadline } from '@app/kernel';
import { withheldData, type Json } from '../evidence/evidence-pack';
import { isCheckpointOf, type SignedCheckpoint, type SigningKey, timeOf } from '../log-proofs/checkpoint';
import { OriginDamaged, readOrigin } from '../log-proofs/checkpoint-issuer';
import { CheckpointHistory, CheckpointStore } from '../log-proofs/checkpoint-stores';
import { type ConsistencyProof, consistencyProofOf, type EventProof, EventProofs } from '../log-proofs/event-proof';
import type { LogProofs } from '../log-proofs/log-proofs';
import { dataDigestOf, faultText, hasLeaf, type ReadableLog, readTreeState, type TreeState } from '../log-proofs/log-tree';
import { rootAt } from '../log-proofs/merkle';
import type { ProofFiles } from '../log-proofs/proof-files';
import { TileDamaged, TileReader } from '../log-proofs/tiles';
import { seesMerchant } from './operator-access';

interface LogInspectionPorts {
  readonly log: ReadableLog;
  readonly files: ProofFiles;
  readonly witnesses: readonly CheckpointStore[];
  /** Undefined if nothing is signed. */
  readonly key: Pick<SigningKey, 'textFor' | 'verifier'> | undefined;
  /** Of this process, which need not be the one that keeps the tree. */
  readonly proofs: Pick<LogProofs, 'health'>;
}

interface CheckpointJson {
  /** Events in the signed tree. */
  readonly size: number;
  /** Base 64. */
  readonly root: string;
  /** By the log's clock; null if the checkpoint has no time. */
  readonly signedAt: string | null;
  /** The signed note, byte for byte (C2SP tlog-checkpoint). */
  readonly note: string;
}

interface WitnessJson {
  readonly name: string;
  readonly newest: CheckpointJson | null;
  /** Null if the witness can be read. */
  readonly problem: string | null;
}

export interface LogJson {
  /** The log's name in its checkpoints; null until one was signed. */
  readonly origin: string | null;
  /** Four bytes in hex, by which a signature names the log's key; null if nothing is signed. */
  readonly keyId: string | null;
  /** The key's public half as `name+id+key` (C2SP signed-note), to be compared with a copy that came another way: alone it proves nothing. Null if nothing is signed. */
  readonly publicKey: string | null;
  /** Position of the newest event. */
  readonly head: string;
  /** The stored tree: its events, root in base 64, and position of its newest event. Null if it cannot be read. */
  readonly tree: { readonly size: number; readonly root: string; readonly position: string } | null;
  readonly checkpoint: CheckpointJson | null;
  readonly witnesses: readonly WitnessJson[];
  /** Why the log does not match its tree or checkpoints, as far as this process knows; null if it matches. `orch log verify` checks every event. */
  readonly fault: string | null;
  /** Since when events lack a checkpoint; null if all are covered, or another process keeps the tree. */
  readonly waitingSince: string | null;
}

export interface RawEventJson {
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  readonly id: string;
  readonly type: string;
  /** By the store's clock. */
  readonly storedAt: string;
  /** Text as stored. */
  readonly metadata: string;
  /** Text as stored, with its sealed texts; null if it contains data that could be used to charge a card. */
  readonly data: string | null;
  /** The data without those members, only if `data` is null. */
  readonly concealed: unknown;
  /** SHA-256 of the data as stored, hex; part of the event's leaf. */
  readonly dataDigest: string;
  /** The hash in its stream's chain, hex. */
  readonly hash: string;
}

export interface EventProofJson extends EventProof {
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
}

export type EventName = { readonly stream: StreamName; readonly revision: Revision } | { readonly position: Position };

type Unproven = 'nothing-signed' | 'not-covered' | 'no-leaf' | 'event-differs';
export type EventProofAnswer =
  | { readonly reason: 'proven'; readonly proof: EventProofJson }
  | { readonly reason: 'unknown-event' }
  | { readonly reason: Unproven; readonly stream: StreamName };

export type CheckpointsAnswer = { readonly checkpoints: readonly CheckpointJson[]; readonly next?: string };

/** The tree, a checkpoint or the log's name does not match the log, or cannot be read. */
export class LogDamaged extends Error {
  override readonly name = 'LogDamaged';
}

const orDamaged = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TileDamaged || error instanceof OriginDamaged) throw new LogDamaged(error.message);
    throw error;
  }
};

const checkpointJson = (checkpoint: SignedCheckpoint): CheckpointJson => ({
  size: checkpoint.size,
  root: checkpoint.root.toString('base64'),
  signedAt: timeOf(checkpoint) ?? null,
  note: checkpoint.note,
});

/** Data of other services need not be JSON. */
const withheldOf = ({ data }: StoredEvent): Json | undefined => {
  try {
    return withheldData(data);
  } catch {
    return undefined;
  }
};

const CURSOR = /^(?:0|[1-9]\d{0,14})$/;

/** Queries about the signed log. A reader verifies every answer with the log's public key, and compares the one that `overview` returns with a copy that came another way. */
export class LogInspection {
  constructor(private readonly ports: LogInspectionPorts) {}

  /** @throws StoreUnavailable, also after the deadline; LogDamaged if the log's name cannot be read */
  async overview(deadline: Deadline): Promise<LogJson> {
    const { log, files, key, proofs, witnesses } = this.ports;
    const head = await log.head(deadline);
    const { fault, waitingSince } = proofs.health();
    const origin = await orDamaged(() => readOrigin(files));
    const tree = await readTreeState(files);
    const checkpoint = origin === undefined ? undefined : await this.#newest(origin);
    const problem = fault === undefined ? await this.#mismatch(tree, checkpoint) : faultText(fault);
    return {
      origin: origin ?? null,
      keyId: key === undefined || origin === undefined ? null : key.verifier.idFor(origin).toString('hex'),
      publicKey: key === undefined || origin === undefined ? null : key.textFor(origin),
      head,
      tree: tree === undefined ? null : { size: tree.size, root: tree.root.toString('base64'), position: tree.position },
      checkpoint: checkpoint === undefined ? null : checkpointJson(checkpoint),
      witnesses: await Promise.all(witnesses.map((witness) => this.#witness(witness, origin))),
      fault: problem ?? null,
      waitingSince: waitingSince === undefined ? null : new Date(waitingSince).toISOString(),
    };
  }

  /**
   * The log's own checkpoints, newest first.
   * @param cursor the `next` of the previous page
   * @returns undefined for another cursor
   */
  async checkpoints(limit: number, cursor?: string): Promise<CheckpointsAnswer | undefined> {
    if (cursor !== undefined && !CURSOR.test(cursor)) return undefined;
    const page = await new CheckpointHistory(this.ports.files).page(limit, cursor === undefined ? undefined : Number(cursor));
    if (page === undefined) return undefined;
    return { checkpoints: page.checkpoints.map(checkpointJson), ...(page.next !== undefined && { next: String(page.next) }) };
  }

  /** Proof that the checkpoint of `to` events (default: the newest) continues that of `from`. @throws LogDamaged */
  async consistency(from: number, to: number | undefined): Promise<ConsistencyProof | { readonly reason: 'no-checkpoint' | 'backwards' }> {
    if (to !== undefined && from > to) return { reason: 'backwards' };
    return orDamaged(async () => {
      const { files } = this.ports;
      const origin = await readOrigin(files);
      if (origin === undefined) return { reason: 'no-checkpoint' };
      const history = new CheckpointHistory(files);
      const isOwn = this.#isOwn(origin);
      const older = await history.ofSize(from, isOwn);
      const later = to === undefined ? await this.#newest(origin) : await history.ofSize(to, isOwn);
      if (older === undefined || later === undefined || older.size > later.size) return { reason: 'no-checkpoint' };
      return consistencyProofOf(files, older, later);
    });
  }

  /** An event as stored; undefined also if it belongs to a merchant that the operator may not see. @throws StoreUnavailable */
  async event(name: EventName, operator: Pick<Operator, 'merchants'>, deadline: Deadline): Promise<RawEventJson | undefined> {
    const event = await this.#event(name, operator, deadline);
    if (event === undefined) return undefined;
    const { stream, revision, position, id, type, createdMs, metadata, data } = event;
    const concealed = withheldOf(event);
    return {
      stream,
      revision: Number(revision),
      position,
      id,
      type,
      storedAt: new Date(createdMs).toISOString(),
      metadata,
      data: concealed === undefined ? data : null,
      concealed: concealed ?? null,
      dataDigest: dataDigestOf(event),
      hash: hashOf(event),
    };
  }

  /** Proof that an event is in the log, under the newest checkpoint. @throws StoreUnavailable, LogDamaged */
  async proof(name: EventName, operator: Pick<Operator, 'merchants'>, deadline: Deadline): Promise<EventProofAnswer> {
    return orDamaged(async () => {
      const event = await this.#event(name, operator, deadline);
      if (event === undefined) return { reason: 'unknown-event' };
      const { stream, revision, position } = event;
      const proofs = await this.#proofs(deadline);
      if (proofs?.checkpoint === undefined) return { reason: 'nothing-signed', stream };
      const made = await proofs.of(event);
      if (made.kind !== 'proof') return { reason: made.kind, stream };
      return { reason: 'proven', proof: { ...made.proof, stream, revision: Number(revision), position } };
    });
  }

  async #event(name: EventName, operator: Pick<Operator, 'merchants'>, deadline: Deadline): Promise<StoredEvent | undefined> {
    const event = await ('position' in name ? this.#eventAt(name.position, deadline) : this.#eventOf(name, deadline));
    return event !== undefined && this.#isSeen(event, operator) ? event : undefined;
  }

  /** Events of other services have metadata that only their writer understands. */
  #isSeen(event: StoredEvent, operator: Pick<Operator, 'merchants'>): boolean {
    if (operator.merchants === undefined) return true;
    return hasLeaf(event) && seesMerchant(operator, metadataOf(event).merchant);
  }

  async #eventOf(
    { stream, revision }: Extract<EventName, { readonly revision: Revision }>,
    deadline: Deadline,
  ): Promise<StoredEvent | undefined> {
    for await (const event of readsWithin(this.ports.log, deadline).read(stream, revision))
      return event.revision === revision ? event : undefined;
    return undefined;
  }

  async #eventAt(position: Position, deadline: Deadline): Promise<StoredEvent | undefined> {
    if (positionLike(await this.ports.log.head(deadline), position) === undefined) return undefined;
    return (await this.#proofs(deadline, ''))?.eventAt(position);
  }

  /** Undefined until the log has a name. */
  async #proofs(deadline: Deadline, unnamed?: string): Promise<EventProofs | undefined> {
    const { log, files, key } = this.ports;
    const origin = (await readOrigin(files)) ?? unnamed;
    if (origin === undefined) return undefined;
    return EventProofs.open({ log, files, places: [this.#own()], key: key?.verifier, origin, deadline });
  }

  /** Undefined if the newest checkpoint is of the stored tree. */
  async #mismatch(tree: TreeState | undefined, checkpoint: SignedCheckpoint | undefined): Promise<string | undefined> {
    if (tree === undefined) return 'the state of the tree cannot be read';
    if (checkpoint === undefined) return undefined;
    const { size, root } = checkpoint;
    if (size > tree.size) return `the newest checkpoint is of ${size} events, and the tree has ${tree.size}`;
    try {
      const isSame = root.equals(await rootAt(new TileReader(this.ports.files, tree.size), size));
      return isSame ? undefined : `the tree has another root than the checkpoint of ${size} events`;
    } catch (error) {
      if (error instanceof TileDamaged) return error.message;
      throw error;
    }
  }

  async #witness(witness: CheckpointStore, origin: string | undefined): Promise<WitnessJson> {
    const { name } = witness;
    try {
      const newest = origin === undefined ? undefined : await witness.newest(this.#isOwn(origin));
      return { name, newest: newest === undefined ? null : checkpointJson(newest), problem: null };
    } catch (error) {
      return { name, newest: null, problem: error instanceof Error ? error.message : String(error) };
    }
  }

  #own(): CheckpointStore {
    return new CheckpointStore('log-proofs', this.ports.files);
  }

  #newest(origin: string): Promise<SignedCheckpoint | undefined> {
    return this.#own().newest(this.#isOwn(origin));
  }

  #isOwn(origin: string): (checkpoint: SignedCheckpoint) => boolean {
    const { key } = this.ports;
    return (one) => one.origin === origin && (key === undefined || isCheckpointOf(one, key.verifier));
  }
}
