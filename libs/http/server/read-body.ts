import type { IncomingMessage } from 'node:http';

const MIB = 1_048_576;
/** Bytes of bodies that a process holds at a time: of those that are being read, and of those whose requests are not answered yet. */
export const BODY_BUDGET_BYTES = 64 * MIB;
/** A body of at most so many bytes is a short one. */
const SHORT_BODY_BYTES_MAX = 16_384;
/** What long bodies leave to the short ones: who fills the budget with long ones that never end keeps nobody from asking for an order's status. */
const SHORT_BODIES_SHARE = 0.25;

/** How many bytes of bodies a process may hold. A connection costs its sender nothing: without a sum over all of them each limit is ten thousand times itself. */
export class BodyBudget {
  readonly #bytesMax: number;
  readonly #longBytesMax: number;
  #held = 0;

  constructor(bytesMax: number = BODY_BUDGET_BYTES) {
    this.#bytesMax = bytesMax;
    this.#longBytesMax = bytesMax * (1 - SHORT_BODIES_SHARE);
  }

  /** Bytes held at the moment. */
  get held(): number {
    return this.#held;
  }

  /**
   * Takes up bytes that came in; false where there is no room for them.
   * @param ofBody how many of its bytes have come with these
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

/** Of this process, whatever ports it listens on. */
export const processBodies = new BodyBudget();

export type ReadBody =
  | { readonly kind: 'read'; readonly body: Uint8Array }
  | { readonly kind: 'too-large' }
  /** The process holds as many bytes of bodies as it may; a moment later there is room again. */
  | { readonly kind: 'no-room' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'unsupported' };

/** A body whose bytes count as held until they are released. */
export interface HeldBody {
  readonly read: ReadBody;
  /** Called once the request is answered; a second call changes nothing. */
  readonly release: () => void;
}

/** Reads the body of a request, which nobody has read yet. */
export type BodyHolder = (request: IncomingMessage) => Promise<HeldBody>;

/**
 * Hands the body of a request, which nobody has read yet, to whoever uses it; until that is over its bytes count as held. @returns what it came to
 */
export type BodyReader = <Result>(request: IncomingMessage, use: (read: ReadBody) => Promise<Result>) => Promise<Result>;

const IDENTITY = 'identity';
/** What a piece of a body costs beside its bytes: a sender may cut it into pieces of one. */
const CHUNK_BYTES = 256;

/** What the headers say already. */
const refusalOf = ({ headers }: IncomingMessage, bytesMax: number): ReadBody | undefined => {
  const { 'content-encoding': encoding = IDENTITY, 'content-length': length } = headers;
  if (encoding.toLowerCase() !== IDENTITY) return { kind: 'unsupported' };
  return length !== undefined && Number(length) > bytesMax ? { kind: 'too-large' } : undefined;
};

const joined = (chunks: readonly Uint8Array[]): Uint8Array => {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
};

/** The bytes of one body, as far as they are kept. */
class Kept {
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #held = 0;

  constructor(
    private readonly bytesMax: number,
    private readonly budget: BodyBudget,
  ) {}

  /** @returns why nothing of the body is kept */
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
    // Behind every end too, when it changes nothing.
    request.on('close', () => resolve({ kind: 'aborted' }));
  });

/**
 * Reads the bytes as they came: a checksum, a form and a signature are made of them, not of what a parser took them for. What is refused is heard to
 * its end and not kept: who still writes would lose the answer otherwise.
 */
export const bodyHolder =
  (bytesMax: number, budget: BodyBudget = processBodies): BodyHolder =>
  async (request) => {
    const kept = new Kept(bytesMax, budget);
    return { read: await readInto(kept, request, bytesMax), release: () => kept.letGo() };
  };

/** As `bodyHolder`, for a use that has an end of its own. */
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
