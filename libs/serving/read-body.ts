import { raw, type Request, type Response } from 'express';

/** Of Group A; a larger body is answered with 413 (protocol decisions, section 3). */
export const BODY_BYTES_MAX = 1_048_576;

export type ReadBody =
  | { readonly kind: 'read'; readonly body: Uint8Array }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'unsupported' };

/** Of a request whose body nobody has read yet. */
export type BodyReader = (request: Request, response: Response) => Promise<ReadBody>;

const EMPTY = new Uint8Array(0);

/** Reads the bytes as they came: a checksum, a form and a signature are made of them, not of what a parser took them for. */
export const bodyReader = (bytesMax: number): BodyReader => {
  const reader = raw({ type: () => true, limit: bytesMax, inflate: false });
  return (request, response) =>
    new Promise((resolve) => {
      reader(request, response, (error?: unknown) => {
        if (error === undefined || error === null) {
          resolve({ kind: 'read', body: Buffer.isBuffer(request.body) ? request.body : EMPTY });
          return;
        }
        const { type } = error as { type?: string };
        if (type === 'entity.too.large') resolve({ kind: 'too-large' });
        else resolve({ kind: type === 'encoding.unsupported' ? 'unsupported' : 'aborted' });
      });
    });
};

export const readBody: BodyReader = bodyReader(BODY_BYTES_MAX);
