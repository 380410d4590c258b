import type { IncomingMessage } from 'node:http';

const MIB = 1_048_576;
/** Maximum bytes of bodies per process: bodies being read, and bodies of unanswered requests. */
export const BODY_BUDGET_BYTES = 64 * MIB;
const SHORT_BODY_BYTES_MAX = 16_384;
/** Share reserved for short bodies: long bodies that never end must not block status requests. */
const SHORT_BODIES_SHARE = 0.25;

/**
 * Limits the bytes of bodies over all connections. Connections are cheap for a sender, so a limit per body is not
 * enough.
 */
export class BodyBudget {
  readonly #bytesMax: number;
  readonly #longBytesMax: number;
  #held = 0;

  constructor(bytesMax: number = BODY_BUDGET_BYTES) {
    this.#bytesMax = bytesMax;
    this.#longBytesMax = bytesMax * (1 - SHORT_BODIES_SHARE);
  }

  get held(): number {
    return this.#held;
  }

  /**
   * Reserves received bytes; false if the budget is full.
   * @param ofBody bytes of this body so far, including these
   */
  take(bytes: number, ofBody: number): boolean {
    const after = this.#held + bytes;
    if (after > (ofBody > SHORT_BODY_BYTES_MAX ? this.#longBytesMax : this.#bytesMax)) return false;
    this.#held = after;
    return true;
  }

  giveBack(bytes: number): void {
    this.#held -= bytes;
  }
}

export const processBodies = new BodyBudget();

export type ReadBody =
  | { readonly kind: 'read'; readonly body: Uint8Array }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'no-room' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'unsupported' };

export interface BufferedBody {
  readonly read: ReadBody;
  readonly release: () => void;
}

export type BodyBuffer = (request: IncomingMessage) => Promise<BufferedBody>;

/** Reads a body and passes it to `use`. Its bytes count as held until `use` ends. */
export type BodyReader = <Result>(request: IncomingMessage, use: (read: ReadBody) => Promise<Result>) => Promise<Result>;

const IDENTITY = 'identity';
/** Memory per chunk besides its bytes, since a sender may send one byte per chunk. */
const CHUNK_BYTES = 256;

const refusalOf = ({ headers }: IncomingMessage, bytesMax: number): ReadBody | undefined => {
  const { 'content-encoding': encoding = IDENTITY, 'content-length': length } = headers;
  if (encoding.toLowerCase() !== IDENTITY) return { kind: 'unsupported' };
  return length !== undefined && Number(length) > bytesMax ? { kind: 'too-large' } : undefined;
};

const joined = (chunks: readonly Uint8Array[]): Uint8Array => {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
};

class Kept {
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #held = 0;

  constructor(
    private readonly bytesMax: number,
    private readonly budget: BodyBudget,
  ) {}

  add(chunk: Uint8Array): ReadBody | undefined {
    this.#bytes += chunk.byteLength;
    const isTooLarge = this.#bytes > this.bytesMax;
    const cost = chunk.byteLength + CHUNK_BYTES;
    if (!isTooLarge && this.budget.take(cost, this.#bytes)) {
      this.#held += cost;
      this.#chunks.push(chunk);
      return undefined;
    }
    this.letGo();
    return { kind: isTooLarge ? 'too-large' : 'no-room' };
  }

  whole(): ReadBody {
    return { kind: 'read', body: joined(this.#chunks) };
  }

  letGo(): void {
    this.#chunks = [];
    this.budget.giveBack(this.#held);
    this.#held = 0;
  }
}

const readInto = (kept: Kept, request: IncomingMessage, bytesMax: number): Promise<ReadBody> =>
  new Promise((resolve) => {
    if (request.destroyed) {
      resolve({ kind: 'aborted' });
      return;
    }
    let refusal = refusalOf(request, bytesMax);
    request.on('data', (chunk: Uint8Array) => {
      refusal ??= kept.add(chunk);
    });
    request.on('end', () => resolve(refusal ?? kept.whole()));
    request.on('close', () => resolve({ kind: 'aborted' }));
  });

/**
 * Keeps the raw bytes, because signatures cover them. A refused body is read to its end and dropped, since a client
 * that still writes would lose the response.
 */
export const bodyHolder =
  (bytesMax: number, budget: BodyBudget = processBodies): BodyBuffer =>
  async (request) => {
    const kept = new Kept(bytesMax, budget);
    return { read: await readInto(kept, request, bytesMax), release: () => kept.letGo() };
  };

/** As `bodyHolder`, but releases the bytes when `use` ends. */
export const bodyReader = (bytesMax: number, budget: BodyBudget = processBodies): BodyReader => {
  const hold = bodyHolder(bytesMax, budget);
  return async (request, use) => {
    const held = await hold(request);
    try {
      return await use(held.read);
    } finally {
      held.release();
    }
  };
};
