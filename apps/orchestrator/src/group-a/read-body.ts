import { raw, type Request, type Response } from 'express';

/** Of a form, and of whatever sets no limit of its own (safety, T29). */
const BODY_BYTES_MAX = 1_048_576;

export type ReadBody =
  | { readonly kind: 'read'; readonly body: Uint8Array }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'unsupported' };

const EMPTY = new Uint8Array(0);
type BodyReader = ReturnType<typeof raw>;
/** @param bytesMax of the body; more is `too-large` */
export const bodyReader = (bytesMax: number): BodyReader => raw({ type: () => true, limit: bytesMax, inflate: false });
const formReader = bodyReader(BODY_BYTES_MAX);

/** The bytes as they came: a checksum, a form and a signature are made of them, not of what a parser took them for. */
export const readBody = (request: Request, response: Response, reader: BodyReader = formReader): Promise<ReadBody> =>
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
