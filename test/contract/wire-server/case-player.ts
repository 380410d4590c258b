import type { EventSpec, ObservedCase, ObservedStep } from '@app/event-store/testing';
import type { WireServer } from '../../fakes/eventstoredb';
import {
  binaryEvent,
  END,
  jsonEvent,
  START,
  StreamNotFoundError,
  type AppendExpectedRevision,
  type EventData,
  type EventStoreDBClient,
  type JSONType,
  type Position,
  type RecordedEvent,
  type ResolvedEvent,
} from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { shownError } from './outcome';
import { by, type Rpc, type World } from './world';

export type Outcome = Readonly<Record<string, unknown>>;

const LONG_NAME = /^<(\d+) characters>$/;
const AND_SO_ON = /^\.\.\. ([\d,]+) events$/;
const NOT_AN_ID = 'bad';
const ID_SENT = /^id sent: (.*)$/;
/** The client's default, and a shorter one for cases in which no answer arrives before the deadline. */
const DEADLINE_MS = 10_000;
const SHORT_DEADLINE_MS = 300;

const expectedOf = ({ expectedRevision = 'any' }: ObservedStep): AppendExpectedRevision =>
  typeof expectedRevision === 'number' ? BigInt(expectedRevision) : expectedRevision;
const streamOf = ({ stream = '' }: ObservedStep): string => stream.replace(LONG_NAME, (_, length: string) => 'x'.repeat(Number(length)));
const typeOfError = (error: unknown): unknown => shownError(error)['type'];

export class CasePlayer {
  readonly #observed: ObservedCase;
  readonly #rpc: Rpc;
  readonly #ids = new Map<string, string>();
  readonly #positions: bigint[] = [];
  readonly #server: WireServer;
  readonly #client: EventStoreDBClient;
  readonly #ahead: { ms: number };

  private constructor(observed: ObservedCase, rpc: Rpc, server: WireServer, client: EventStoreDBClient, ahead: { ms: number }) {
    this.#observed = observed;
    this.#rpc = rpc;
    this.#server = server;
    this.#client = client;
    this.#ahead = ahead;
    const badId = ID_SENT.exec(observed.note ?? '')?.[1];
    if (badId !== undefined) this.#ids.set(NOT_AN_ID, badId);
  }

  static async begin(world: World, observed: ObservedCase, rpc: Rpc): Promise<CasePlayer> {
    const ahead = { ms: 0 };
    const server = await world.server({ nowMs: () => Date.now() + ahead.ms });
    const deadlineMs = observed.then['error'] === 'DeadlineExceededError' ? SHORT_DEADLINE_MS : DEADLINE_MS;
    return new CasePlayer(observed, rpc, server, world.client(server, `&defaultDeadline=${deadlineMs}`), ahead);
  }

  async play(): Promise<Outcome> {
    const { given, when, then } = this.#observed;
    for (const step of given) await this.#tried(() => this.#step(step));
    const outcome = await this.#tried(() => this.#step(when));
    if (!('streamAfter' in then)) return outcome;
    return { ...outcome, streamAfter: await this.#streamAfter(streamOf(when)) };
  }

  async #tried(step: () => Promise<Outcome>): Promise<Outcome> {
    try {
      return { ok: true, ...(await step()) };
    } catch (error) {
      return shownError(error);
    }
  }

  async #step(step: ObservedStep): Promise<Outcome> {
    const stream = streamOf(step);
    switch (step.op) {
      case 'appendToStream': {
        const events = this.#events(step);
        const { nextExpectedRevision, position } = await this.#client.appendToStream(stream, events, {
          expectedRevision: expectedOf(step),
          ...by(this.#rpc),
        });
        return { nextExpectedRevision: `${nextExpectedRevision}n`, position: this.#placed(position) };
      }
      case 'deleteStream': {
        const { position } = await this.#client.deleteStream(stream, { expectedRevision: expectedOf(step) as 'any' });
        return { position: this.#placed(position) };
      }
      case 'tombstoneStream': {
        const { position } = await this.#client.tombstoneStream(stream, { expectedRevision: expectedOf(step) as 'any' });
        return { position: this.#placed(position) };
      }
      case 'setStreamMetadata': {
        const { position } = await this.#client.setStreamMetadata(stream, step.metadata ?? {}, { expectedRevision: expectedOf(step) });
        this.#placed(position);
        return {};
      }
      case 'getStreamMetadata':
        return this.#metadata(stream);
      case 'readStream':
        return { events: await this.#read(step) };
      case 'restartServer':
        await this.#server.restart();
        // The first call finds the connection closed, which is not part of the case.
        await this.#tried(async () => ({ events: await this.#read({ op: 'readStream', stream: 'a first look' }) }));
        return {};
      case 'sleep':
        this.#ahead.ms += step.ms ?? 0;
        return {};
      default:
        throw new Error(`no such step: ${step.op}`);
    }
  }

  #id(symbol: string): string {
    const known = this.#ids.get(symbol);
    if (known !== undefined) return known;
    const id = randomUUID();
    this.#ids.set(symbol, id);
    return id;
  }

  #events(step: ObservedStep): EventData[] {
    const [first, more] = step.events ?? [];
    const times = typeof more === 'string' ? Number(AND_SO_ON.exec(more)?.[1]?.replace(',', '') ?? 0) : 0;
    if (times > 0 && typeof first === 'object') {
      return Array.from({ length: times }, (_, index) => this.#event({ ...first, id: `n${index}` }));
    }
    const specs = (step.events ?? []).map((event) => (typeof event === 'string' ? { id: event } : event));
    const isRepeat = this.#observed.id === 'id-upper-case' && step === this.#observed.when;
    return specs.map((spec) => {
      const event = this.#event(spec);
      return isRepeat ? { ...event, id: event.id.toUpperCase() } : event;
    });
  }

  #event({ id: symbol, type = 'T', typeLen, data, dataText, dataBytes, meta, metaBytes, ...rest }: EventSpec): EventData {
    expect(rest).toStrictEqual({});
    const id = this.#id(symbol);
    const named = { id, type: typeLen === undefined ? type : 'x'.repeat(typeLen) };
    if (dataBytes !== undefined || dataText !== undefined) {
      const bytes = dataText === undefined ? new Uint8Array(dataBytes ?? 0) : Uint8Array.from(Buffer.from(dataText));
      return binaryEvent({ ...named, data: bytes, ...(metaBytes === undefined ? {} : { metadata: new Uint8Array(metaBytes) }) });
    }
    return jsonEvent({
      ...named,
      data: (data === undefined ? { n: 1 } : data) as JSONType,
      ...(meta === undefined ? {} : { metadata: meta }),
    });
  }

  #placed(position: Position | undefined): string {
    if (position === undefined) return 'none';
    expect(position.commit).toBe(position.prepare);
    const at = position.commit;
    const before = [...this.#positions];
    this.#positions.push(at);
    if (before.every((earlier) => earlier < at)) return 'new';
    const step = before.indexOf(at);
    return step < 0 ? 'older than newest, equal to none of the steps' : `same as step ${step + 1}`;
  }

  #named({ id, type, revision }: RecordedEvent): string {
    const symbol = [...this.#ids].find(([, known]) => known.toLowerCase() === id)?.[0];
    return `${symbol ?? type}@${revision}`;
  }

  async #read(step: ObservedStep): Promise<unknown[]> {
    const { from = step.direction === 'backwards' ? 'end' : 'start' } = step;
    const fromRevision = from === 'start' ? START : from === 'end' ? END : BigInt(from);
    const reading = this.#client.readStream(streamOf(step), {
      fromRevision,
      direction: step.direction ?? 'forwards',
      resolveLinkTos: step.resolveLinkTos ?? false,
      ...(step.maxCount === undefined ? {} : { maxCount: step.maxCount }),
    });
    const events: unknown[] = [];
    for await (const resolved of reading) events.push(step.detail ? this.#detail(resolved) : this.#named(resolved.event!));
    return events;
  }

  #detail({ event, link, commitPosition }: ResolvedEvent): unknown {
    const bytes = (value: unknown): unknown => (value instanceof Uint8Array ? `<${value.length} bytes>` : value);
    const ofLink = link === undefined ? {} : { link: `${link.type}@${link.revision} in ${link.streamId}` };
    if (event === undefined) return { event: 'none', ...ofLink };
    expect(commitPosition).toBe((link ?? event).position?.commit);
    return {
      event: this.#named(event),
      type: event.type,
      isJson: event.isJson,
      data: bytes(event.data),
      ...(event.metadata === undefined ? {} : { metadata: bytes(event.metadata) }),
      commitEqualsPrepare: event.position?.commit === event.position?.prepare,
      stream: event.streamId,
      ...ofLink,
    };
  }

  /** Its revision is the position of the event that set it, although the client names it otherwise. */
  async #metadata(stream: string): Promise<Outcome> {
    const { metadata, metastreamRevision } = await this.#client.getStreamMetadata(stream);
    const record = this.#server.log.lastOf(`$$${stream}`);
    expect(metastreamRevision).toBe(record?.position);
    return { metadata: metadata ?? null, ...(metastreamRevision === undefined ? {} : { metastreamRevision: 'its position' }) };
  }

  async #streamAfter(stream: string): Promise<unknown> {
    try {
      return await this.#read({ op: 'readStream', stream });
    } catch (error) {
      return error instanceof StreamNotFoundError ? 'stream-not-found' : typeOfError(error);
    }
  }
}
