import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import fc from 'fast-check';
import { bodyReader, type ReadBody } from './read-body';

const BYTES_MAX = 64;
const read = bodyReader(BYTES_MAX);

/** A request whose head has come in. */
const requestOf = (headers: Readonly<Record<string, string>> = {}): IncomingMessage => {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, headers);
  return request;
};

const received = (headers: Readonly<Record<string, string>>, ...chunks: readonly Uint8Array[]): Promise<ReadBody> => {
  const request = requestOf(headers);
  const reading = read(request);
  for (const chunk of chunks) request.push(chunk);
  request.push(null);
  return reading;
};

const bytes = (length: number): Uint8Array => new Uint8Array(length).fill(97);

describe('a body as it came', () => {
  it('is the same bytes, however they were cut, up to the limit, told or not', async () => {
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

  it('is empty where there is none', async () => {
    const outcome = await received({});
    expect(outcome.kind === 'read' && outcome.body.byteLength).toBe(0);
  });

  it('takes the limit and refuses one byte more', async () => {
    expect(await received({}, bytes(BYTES_MAX))).toMatchObject({ kind: 'read' });
    expect(await received({}, bytes(BYTES_MAX), bytes(1))).toStrictEqual({ kind: 'too-large' });
  });

  it.each([
    ['too long by its head', { 'content-length': String(BYTES_MAX + 1) }, 'too-large'],
    ['compressed', { 'content-encoding': 'gzip' }, 'unsupported'],
  ])('%s: is refused once it was heard to its end', async (_what, headers, kind) => {
    const request = requestOf(headers);
    const outcomes: ReadBody[] = [];
    const reading = read(request).then((outcome) => outcomes.push(outcome));
    request.push(bytes(1));
    await new Promise(setImmediate);
    expect(outcomes).toStrictEqual([]);
    request.push(null);
    await reading;
    expect(outcomes).toStrictEqual([{ kind }]);
  });

  it('takes identity, in either case of letters', async () => {
    expect(await received({ 'content-encoding': 'Identity' }, bytes(1))).toStrictEqual({ kind: 'read', body: Buffer.from('a') });
  });

  it.each([
    ['while it is read', (request: IncomingMessage): void => void setImmediate(() => request.destroy())],
    ['before', (request: IncomingMessage): void => void request.destroy()],
  ])('is aborted where its sender goes away %s', async (_when, goAway) => {
    const request = requestOf();
    goAway(request);
    const reading = read(request);
    expect(await reading).toStrictEqual({ kind: 'aborted' });
  });
});
