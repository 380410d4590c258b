import type { IncomingMessage } from 'node:http';

/** Of Group A; a larger body is answered with 413 (protocol decisions, section 3). */
export const BODY_BYTES_MAX = 1_048_576;

export type ReadBody =
  | { readonly kind: 'read'; readonly body: Uint8Array }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'unsupported' };

/** Of a request whose body nobody has read yet. */
export type BodyReader = (request: IncomingMessage) => Promise<ReadBody>;

const IDENTITY = 'identity';

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

/**
 * Reads the bytes as they came: a checksum, a form and a signature are made of them, not of what a parser took them for. What is refused is heard to
 * its end and not kept: who still writes would lose the answer otherwise.
 */
export const bodyReader =
  (bytesMax: number): BodyReader =>
  (request) =>
    new Promise((resolve) => {
      if (request.destroyed) {
        resolve({ kind: 'aborted' });
        return;
      }
      let refusal = refusalOf(request, bytesMax);
      let chunks: Uint8Array[] = [];
      let bytes = 0;
      request.on('data', (chunk: Uint8Array) => {
        bytes += chunk.byteLength;
        if (bytes > bytesMax) refusal ??= { kind: 'too-large' };
        if (refusal === undefined) chunks.push(chunk);
        else chunks = [];
      });
      request.on('end', () => resolve(refusal ?? { kind: 'read', body: joined(chunks) }));
      // Behind every end too, when it changes nothing.
      request.on('close', () => resolve({ kind: 'aborted' }));
    });

export const readBody: BodyReader = bodyReader(BODY_BYTES_MAX);
