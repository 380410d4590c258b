import { randomUUID } from 'node:crypto';
import { streams } from '@app/event-store/stores/eventstoredb/wire';
import type { GrpcCall } from '../grpc/grpc-call';
import { consumerTooSlow, handlerThrew, notReady, streamDeleted } from '../grpc/grpc-failure';
import type { SubscriptionFault } from '../faults';
import { TOMBSTONE_REVISION, type LogRecord } from '../log/log-record';
import type { Node } from '../node';
import { recordFilter, type RecordFilter } from '../log/record-filter';
import { eventAnswer } from './recorded-event';

type Call = GrpcCall<streams.ReadReq, streams.ReadResp>;

const PAGE_EVENTS_MAX = 32;
const LIVE_BUFFER_EVENTS_MAX = 32;
/** A burst of this size drops a live subscription even with a fast consumer: 200 events did not, 400 did. */
const LIVE_BURST_EVENTS_MAX = 256;
const BURST_DELIVERED_EVENTS = 100;
/** After this time without reading, a consumer with more waiting events than the buffer holds is too slow. */
const LIVE_PATIENCE_MS = 20;

const unfiltered = (admits: RecordFilter['admits']): RecordFilter => ({
  admits,
  searchWindow: PAGE_EVENTS_MAX,
  checkpointInterval: Number.POSITIVE_INFINITY,
});

interface Start {
  readonly cursor: number;
  readonly filter: RecordFilter;
}

/** After the position (exclusive); a prepare position of 0 means the event itself is still to be delivered. */
const startInLog = (node: Node, options: streams.ReadReq.Options): Start => {
  const { log } = node;
  const from = options.getAll()!;
  const byFilter = options.getFilter();
  const filter = byFilter === undefined ? unfiltered(() => true) : recordFilter(byFilter);
  if (from.hasEnd()) return { cursor: log.length, filter };
  const position = from.getPosition();
  if (position === undefined) return { cursor: 0, filter };
  const commit = BigInt(position.getCommitPosition());
  if (!log.isBoundary(commit)) throw handlerThrew();
  let cursor = log.indexOf(commit);
  if (log.at(cursor)?.position === commit && BigInt(position.getPreparePosition()) >= commit) cursor += 1;
  for (let repeats = node.faults.takeRepeat(); repeats > 0 && cursor > 0;) {
    cursor -= 1;
    const record = log.at(cursor);
    if (record !== undefined && filter.admits(record)) repeats -= 1;
  }
  return { cursor, filter };
};

/** After the revision (exclusive); hidden earlier events are skipped. */
const startInStream = (node: Node, stream: string, from: streams.ReadReq.Options.StreamOptions): Start => {
  const { log, view } = node;
  const after = from.hasRevision() ? BigInt(from.getRevision()) : -1n;
  const endAtStart = log.end;
  const filter = unfiltered(
    (record) =>
      record.stream === stream &&
      record.revision > after &&
      (record.position >= endAtStart || view.event(stream, record.revision) !== undefined),
  );
  return { cursor: from.hasEnd() ? log.length : 0, filter };
};

/** A cursor and a wake-up ensure that no event is missed between past and live. Only a live consumer is dropped if it is too slow. */
class Session {
  readonly #node: Node;
  readonly #call: Call;
  readonly #filter: RecordFilter;
  readonly #stream: string | undefined;
  readonly #resolvesLinks: boolean;
  readonly #fault: SubscriptionFault | undefined;
  #cursor: number;
  #considered = 0;
  #delivered = 0;
  #isSilent = false;
  #isWoken = false;
  #onWake: () => void = () => undefined;

  constructor(node: Node, call: Call, { cursor, filter }: Start, stream: string | undefined, resolvesLinks: boolean) {
    this.#node = node;
    this.#call = call;
    this.#cursor = cursor;
    this.#filter = filter;
    this.#stream = stream;
    this.#resolvesLinks = resolvesLinks;
    this.#fault = node.faults.takeSubscription(stream);
  }

  async run(): Promise<void> {
    const stopListening = this.#node.log.listen(() => this.#wake());
    void this.#call.closed().then(() => this.#wake());
    try {
      const confirmation = new streams.ReadResp.SubscriptionConfirmation().setSubscriptionId(randomUUID());
      this.#call.send(new streams.ReadResp().setConfirmation(confirmation));
      if (this.#fault?.afterEvents === 0) this.#fail(this.#fault.kind);
      if (!(await this.#catchUp())) return this.#call.fail(consumerTooSlow('transitioning to live'));
      this.#send(new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp()));
      await this.#live();
    } finally {
      stopListening();
    }
  }

  /** False if the consumer delays the end of the catch-up while more events arrive than the live buffer holds. */
  async #catchUp(): Promise<boolean> {
    while (this.#call.isOpen && this.#cursor < this.#node.log.length) {
      let considered = 0;
      let found = 0;
      while (considered < this.#filter.searchWindow && found < PAGE_EVENTS_MAX) {
        const record = this.#node.log.at(this.#cursor);
        if (record === undefined) break;
        this.#cursor += 1;
        considered += 1;
        if (!this.#filter.admits(record)) continue;
        found += 1;
        if (!this.#deliver(record) && !(await this.#takesThePast())) return false;
        if (!this.#call.isOpen) return true;
      }
      this.#considered += considered;
      if (this.#considered < this.#filter.checkpointInterval) continue;
      this.#considered %= this.#filter.checkpointInterval;
      const next = this.#node.log.at(this.#cursor)?.position ?? this.#node.log.end;
      this.#checkpoint(next, 0n);
    }
    return true;
  }

  /** The catch-up waits for its consumer without a limit, but the live subscription that opens at its end does not. */
  async #takesThePast(): Promise<boolean> {
    if (this.#cursor >= this.#node.log.length) return this.#keepsUp(0);
    await this.#call.drained();
    return true;
  }

  async #live(): Promise<void> {
    let countedTo = 0;
    while (this.#call.isOpen) {
      const { length } = this.#node.log;
      if (length > countedTo && this.#admittedAhead() > LIVE_BURST_EVENTS_MAX) return this.#dropBurst();
      countedTo = length;
      const record = this.#node.log.at(this.#cursor);
      if (record === undefined) {
        await this.#woken();
        continue;
      }
      this.#cursor += 1;
      const goesOn = !this.#filter.admits(record) || this.#deliver(record);
      this.#considered += 1;
      if (this.#considered >= this.#filter.checkpointInterval) {
        this.#considered = 0;
        this.#checkpoint(record.position, record.position);
      }
      if (!goesOn && !(await this.#keepsUp(LIVE_PATIENCE_MS))) return this.#call.fail(consumerTooSlow('live'));
    }
  }

  /** Waits for the consumer for this time, and then as long as its waiting events fit into the buffer. */
  async #keepsUp(patienceMs: number): Promise<boolean> {
    let isDrained = false;
    void this.#call.drained().then(() => {
      isDrained = true;
      this.#wake();
    });
    let isPatient = true;
    const patience = setTimeout(() => {
      isPatient = false;
      this.#wake();
    }, patienceMs);
    try {
      while (!isDrained && (isPatient || this.#admittedAhead() <= LIVE_BUFFER_EVENTS_MAX)) await this.#woken();
      return isDrained;
    } finally {
      clearTimeout(patience);
    }
  }

  #admittedAhead(): number {
    let count = 0;
    for (let index = this.#cursor; index < this.#node.log.length && count <= LIVE_BURST_EVENTS_MAX; index++) {
      const record = this.#node.log.at(index);
      if (record !== undefined && this.#filter.admits(record)) count += 1;
    }
    return count;
  }

  #dropBurst(): void {
    for (let left = BURST_DELIVERED_EVENTS; left > 0 && this.#cursor < this.#node.log.length; this.#cursor += 1) {
      const record = this.#node.log.at(this.#cursor);
      if (record === undefined || !this.#filter.admits(record)) continue;
      this.#deliver(record);
      left -= 1;
    }
    this.#call.fail(consumerTooSlow('live'));
  }

  #deliver(record: LogRecord): boolean {
    const goesOn = this.#send(eventAnswer(record, this.#node.view, this.#resolvesLinks));
    this.#delivered += 1;
    if (this.#fault !== undefined && this.#delivered === this.#fault.afterEvents) this.#fail(this.#fault.kind);
    if (record.revision === TOMBSTONE_REVISION && this.#stream !== undefined) this.#call.fail(streamDeleted(this.#stream));
    return goesOn;
  }

  #checkpoint(commit: bigint, prepare: bigint): void {
    const message = new streams.ReadResp.Checkpoint().setCommitPosition(`${commit}`).setPreparePosition(`${prepare}`);
    this.#send(new streams.ReadResp().setCheckpoint(message));
  }

  #send(message: streams.ReadResp): boolean {
    return this.#isSilent || this.#call.send(message);
  }

  #fail(kind: SubscriptionFault['kind']): void {
    switch (kind) {
      case 'too-slow':
        return this.#call.fail(consumerTooSlow('live'));
      case 'too-slow-for-live':
        return this.#call.fail(consumerTooSlow('transitioning to live'));
      case 'unavailable':
        return this.#call.fail(notReady());
      case 'half-close':
        return this.#call.reset();
      case 'connection-lost':
        return this.#call.breakConnection();
      case 'silence':
        this.#isSilent = true;
        return;
    }
  }

  #wake(): void {
    this.#isWoken = true;
    this.#onWake();
  }

  async #woken(): Promise<void> {
    if (!this.#isWoken) await new Promise<void>((resolve) => (this.#onWake = resolve));
    this.#isWoken = false;
  }
}

export const subscribe = (node: Node, call: Call, options: streams.ReadReq.Options, stream: string | undefined): Promise<void> => {
  if (stream !== undefined && node.log.isTombstoned(stream)) throw streamDeleted(stream);
  const start = stream === undefined ? startInLog(node, options) : startInStream(node, stream, options.getStream()!);
  return new Session(node, call, start, stream, options.getResolveLinks()).run();
};
