import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import fc from 'fast-check';
import { BodyBudget } from './read-body';
import { bodyReader, type ReadBody } from './read-body';

const BYTES_MAX = 64;
const readOf = (request: IncomingMessage): Promise<ReadBody> => bodyReader(BYTES_MAX)(request, (read) => Promise.resolve(read));

const requestOf = (headers: Readonly<Record<string, string>> = {}): IncomingMessage => {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, headers);
  return request;
};

const received = (headers: Readonly<Record<string, string>>, ...chunks: readonly Uint8Array[]): Promise<ReadBody> => {
  const request = requestOf(headers);
  const reading = readOf(request);
  for (const chunk of chunks) request.push(chunk);
  request.push(null);
  return reading;
};

const bytes = (length: number): Uint8Array => new Uint8Array(length).fill(97);

describe('reading a request body', () => {
  it('returns the same bytes for any split up to the limit, with or without Content-Length', async () => {
    const chunk = fc.uint8Array({ minLength: 1, maxLength: BYTES_MAX });
    await fc.assert(
      fc.asyncProperty(fc.array(chunk, { maxLength: 6 }), fc.boolean(), async (chunks, isTold) => {
        const whole = Buffer.concat(chunks);
        const outcome = await received(isTold ? { 'content-length': String(whole.byteLength) } : {}, ...chunks);
        if (whole.byteLength > BYTES_MAX) expect(outcome).toStrictEqual({ kind: 'too-large' });
        else expect(outcome.kind === 'read' && whole.equals(outcome.body)).toBe(true);
      }),
    );
  });

  it('returns an empty body if the request has none', async () => {
    const outcome = await received({});
    expect(outcome.kind === 'read' && outcome.body.byteLength).toBe(0);
  });

  it('accepts the maximum size and refuses one byte more', async () => {
    expect(await received({}, bytes(BYTES_MAX))).toMatchObject({ kind: 'read' });
    expect(await received({}, bytes(BYTES_MAX), bytes(1))).toStrictEqual({ kind: 'too-large' });
  });

  it.each([
    ['too long by its head', { 'content-length': String(BYTES_MAX + 1) }, 'too-large'],
    ['compressed', { 'content-encoding': 'gzip' }, 'unsupported'],
  ])('%s: is refused only after the body was received completely', async (_what, headers, kind) => {
    const request = requestOf(headers);
    const outcomes: ReadBody[] = [];
    const reading = readOf(request).then((outcome) => outcomes.push(outcome));
    request.push(bytes(1));
    await new Promise(setImmediate);
    expect(outcomes).toStrictEqual([]);
    request.push(null);
    await reading;
    expect(outcomes).toStrictEqual([{ kind }]);
  });

  it('accepts the encoding identity in any case', async () => {
    expect(await received({ 'content-encoding': 'Identity' }, bytes(1))).toStrictEqual({ kind: 'read', body: Buffer.from('a') });
  });

  it.each([
    ['while it is read', (request: IncomingMessage): void => void setImmediate(() => request.destroy())],
    ['before', (request: IncomingMessage): void => void request.destroy()],
  ])('is aborted if the sender disconnects %s', async (_when, goAway) => {
    const request = requestOf();
    goAway(request);
    const reading = readOf(request);
    expect(await reading).toStrictEqual({ kind: 'aborted' });
  });
});

describe('memory held by request bodies', () => {
  const KIB = 1_024;
  const PIECE = 256;
  const budget = new BodyBudget(64 * KIB);
  const reader = bodyReader(32 * KIB, budget);
  afterEach(() => expect(budget.held).toBe(0));

  const begun = (length: number) => {
    const request = requestOf();
    const used: ReadBody['kind'][] = [];
    const over = reader(request, (read) => Promise.resolve(used.push(read.kind)));
    request.push(bytes(length));
    return { request, used, over };
  };
  const ended = async ({ request, over }: ReturnType<typeof begun>): Promise<void> => {
    request.push(null);
    await over;
  };

  it('is counted from reception until the handler finishes or fails', async () => {
    const request = requestOf();
    let held = 0;
    const using = reader(request, () => {
      held = budget.held;
      return Promise.reject(new Error('in use'));
    });
    request.push(bytes(10));
    request.push(bytes(20));
    await new Promise(setImmediate);
    expect(budget.held).toBe(30 + 2 * PIECE);
    request.push(null);
    await expect(using).rejects.toThrow('in use');
    expect(held).toBe(30 + 2 * PIECE);
  });

  it('is limited: a body beyond the limit is received and refused until memory is free again', async () => {
    const long = [begun(20 * KIB), begun(20 * KIB)];
    await new Promise(setImmediate);
    const late = begun(20 * KIB);
    await new Promise(setImmediate);
    expect(budget.held).toBe(40 * KIB + 2 * PIECE);
    await ended(late);
    expect(late.used).toStrictEqual(['no-room']);
    for (const one of long) await ended(one);
    expect(long.map(({ used }) => used)).toStrictEqual([['read'], ['read']]);
    const next = begun(20 * KIB);
    await ended(next);
    expect(next.used).toStrictEqual(['read']);
  });

  it('reserves a quarter for short bodies', async () => {
    const long = [begun(23 * KIB), begun(23 * KIB)];
    await new Promise(setImmediate);
    const short = [begun(8 * KIB), begun(8 * KIB), begun(KIB)];
    await new Promise(setImmediate);
    for (const one of [...short, ...long]) await ended(one);
    expect(short.map(({ used }) => used)).toStrictEqual([['read'], ['read'], ['no-room']]);
  });

  it('is counted higher for a body in one-byte chunks', async () => {
    const pieces = begun(1);
    for (let piece = 1; piece < 300; piece++) pieces.request.push(bytes(1));
    await ended(pieces);
    expect(pieces.used).toStrictEqual(['no-room']);
  });

  it('is released if the sender disconnects or the body grows too large', async () => {
    const gone = begun(KIB);
    const large = begun(33 * KIB);
    await new Promise(setImmediate);
    gone.request.destroy();
    await gone.over;
    await ended(large);
    expect([gone.used, large.used]).toStrictEqual([['aborted'], ['too-large']]);
  });
});
