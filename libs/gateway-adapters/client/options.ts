import type { LookupFunction } from 'node:net';
import { parseUrl, type GateAlias, type Monotonic, type Scheduler, type Secret } from '@app/kernel';
import type { TranscriptEntry } from './transcript';

export const ANSWER_HEADER_BYTES_MAX = 16_384;
export const ANSWER_BYTES_MAX = 262_144;

export interface GateClientOptions {
  readonly gate: GateAlias;
  /** http or https, and the path that stands before the path of every request. */
  readonly baseUrl: string;
  readonly connectionsMax: number;
  /** Calls that wait for a connection, beyond those that have one. */
  readonly waitingMax: number;
  /** Limits the making of one connection: name, TCP and TLS. */
  readonly connectMs: number;
  /** Of the body alone; replaces ANSWER_BYTES_MAX. */
  readonly answerBytesMax?: number;
  /** Certificate authorities in PEM, in place of those that Node trusts. */
  readonly trustedAuthorities?: string;
  /** Replaces the resolver of the system. */
  readonly lookup?: LookupFunction;
  readonly monotonic: Monotonic;
  readonly scheduler: Scheduler;
  /** Called once a call, when it has ended. */
  readonly onTranscript?: (entry: TranscriptEntry) => void;
  /** The digests of transcripts are made under it; without one they can be compared within one client alone. */
  readonly digestKey?: Secret<Uint8Array>;
}

/** The address of a gate, apart. */
export interface GateAddress {
  readonly origin: string;
  /** Empty, or a path without a slash at its end. */
  readonly pathPrefix: string;
}

/** @throws Error for an address that is not http or https, or has a query, a fragment or a user: settings are checked before. */
export const gateAddress = (baseUrl: string): GateAddress => {
  const url = parseUrl(baseUrl);
  const isPlain = url !== undefined && url.search === '' && url.hash === '' && url.username === '' && url.password === '';
  if (!isPlain || !['http:', 'https:'].includes(url.protocol)) throw new Error('a gate needs an http or https address');
  return { origin: url.origin, pathPrefix: url.pathname.replace(/\/$/, '') };
};
