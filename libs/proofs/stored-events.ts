import { hex, prefixed, sha256, utf8 } from './bytes';
import { leafHash } from './merkle';

/** An event as it lies in the log. */
export interface StoredEventText {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly metadata: string;
  /** Undefined if they could be used to charge a card. */
  readonly data: string | undefined;
  /** SHA-256 of the data, hex; needed only without the data. */
  readonly dataDigest?: string;
}

const digestOf = (text: string): string => hex(sha256(utf8(text)));

/** Hash of the event's leaf. Given the data, it does not use a digest from elsewhere. */
export const leafOf = ({ stream, revision, id, type, metadata, data, dataDigest = '' }: StoredEventText): Uint8Array =>
  leafHash(prefixed('log-leaf-1', stream, String(revision), id, type, data === undefined ? dataDigest : digestOf(data), metadata));

/** The event's link in its stream's chain, hex: the next event has it as `previousHash`. Undefined without the data. */
export const linkOf = ({ id, type, data, metadata }: StoredEventText): string | undefined =>
  data === undefined ? undefined : hex(sha256(prefixed(id, type, data, metadata)));
