/** As gRPC reports it: a status code, the server's words, and what EventStoreDB calls it in the trailers. */
export interface CallError extends Error {
  readonly code?: number;
  readonly details?: string;
  readonly metadata?: { getMap(): Readonly<Record<string, unknown>> };
}

/**
 * What a failed call says of an append (EventStoreDB notes, section 1, point 3).
 * - `untouched`: it never left, or the server refused it before it looked at it. Try again.
 * - `lost`: the answer is lost, it may be stored. Try again with the same ids.
 * - `denied`: the server refuses this user or stream. Nothing is stored, and trying again changes nothing.
 * - `too-large`: beyond the server's own limit. Nothing is stored.
 * - `unrecognised`: nobody says that it may be tried again, nor that nothing is stored.
 */
export type FailureKind = 'untouched' | 'lost' | 'denied' | 'too-large' | 'unrecognised';

const CANCELLED = 1;
const INVALID_ARGUMENT = 3;
const DEADLINE_EXCEEDED = 4;
const PERMISSION_DENIED = 7;
const ABORTED = 10;
const INTERNAL = 13;
const UNAVAILABLE = 14;
const UNAUTHENTICATED = 16;

/** Words of gRPC for a call that no connection has carried, and of the client for a cluster that it cannot find. */
const NEVER_LEFT = [
  'No connection established',
  'Name resolution failed',
  'Channel closed before call started',
  'Channel has been shut down',
  'Failed to discover',
];
const STILL_HERE = /waiting for (?:LB pick|name resolution|metadata filters)/i;
/** Words of the server for a request that it did not take up. */
const NOT_TAKEN = ['Server Is Not Ready', 'Server Is Busy'];

/**
 * A call that was never answered, for the client: only an unavailable server makes it connect anew (or look for another leader), and without that
 * what was cut off without a word would be tried again for as long as the keep-alive takes to notice.
 */
export const unheard = (error: CallError): CallError =>
  Object.assign(new Error(error.message), { code: UNAVAILABLE, details: wordsOf(error) });

export const isDeadline = ({ code }: CallError): boolean => code === DEADLINE_EXCEEDED;

export const exceptionOf = ({ metadata }: CallError): string => {
  const named = metadata?.getMap().exception;
  return typeof named === 'string' ? named : '';
};

const wordsOf = (error: CallError): string => error.details ?? error.message;
const says = (error: CallError, words: readonly string[]): boolean => words.some((text) => wordsOf(error).includes(text));

const isStillHere = (error: CallError): boolean =>
  says(error, NEVER_LEFT) || (STILL_HERE.test(wordsOf(error)) && !wordsOf(error).includes('previous attempts'));

export const kindOf = (error: CallError): FailureKind => {
  switch (exceptionOf(error)) {
    case 'not-leader':
      return 'untouched';
    case 'access-denied':
    case 'stream-deleted':
      return 'denied';
    case 'maximum-append-size-exceeded':
      return 'too-large';
    default:
      return kindByCode(error);
  }
};

const kindByCode = (error: CallError): FailureKind => {
  if (says(error, NOT_TAKEN)) return 'untouched';
  switch (error.code) {
    case undefined:
      return isStillHere(error) ? 'untouched' : 'unrecognised';
    case UNAVAILABLE:
    case DEADLINE_EXCEEDED:
      return isStillHere(error) ? 'untouched' : 'lost';
    case CANCELLED:
    case ABORTED:
      return 'lost';
    case INTERNAL:
      return says(error, ['RST_STREAM', 'write after end']) ? 'lost' : 'unrecognised';
    case PERMISSION_DENIED:
    case UNAUTHENTICATED:
    case INVALID_ARGUMENT:
      return 'denied';
    default:
      return 'unrecognised';
  }
};

export const isWorthRetrying = (kind: FailureKind): boolean => kind === 'untouched' || kind === 'lost';

const LENGTH_MAX = 300;

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().slice(0, LENGTH_MAX);

/** What somebody can do about it, by what gRPC or OpenSSL say. */
const ADVICE: readonly (readonly [sign: RegExp, meaning: string])[] = [
  [/wrong version number|packet length too long/i, 'it answers without TLS: add tls=false, or give it a certificate'],
  [
    /unable to verify|self.signed|unable to get (?:local )?issuer|certificate has expired|Hostname\/IP does not match|certificate/i,
    'its certificate is not trusted: name that of its authority with tlsCAFile',
  ],
  [/ECONNREFUSED/, 'nothing listens there (connection refused)'],
  [/Name resolution failed|ENOTFOUND|EAI_AGAIN/, 'its name is not known'],
  [/Failed to discover/, 'no node of the cluster that may be used was found'],
  [/Failed to connect|EPROTO|ECONNRESET.*TLS/, 'it does not answer as EventStoreDB does: wrong port, or TLS where tls=false is set'],
];

/** One line for logs and readiness: which server, and what is wrong. Never holds credentials: they are in no call's words. */
export const describeFailure = (server: string, error: CallError): string => {
  const line = (meaning: string): string => oneLine(`event store ${server}: ${meaning}`);
  if (error.code === UNAUTHENTICATED) return line('the user name or password is wrong');
  if (error.code === PERMISSION_DENIED || exceptionOf(error) === 'access-denied') {
    return line('this user lacks the right to do this (reading $all must be granted to it)');
  }
  if (exceptionOf(error) === 'stream-deleted') return line('the stream was deleted, which this service never does');
  const said = wordsOf(error);
  const [, meaning] = ADVICE.find(([sign]) => sign.test(said)) ?? [];
  return line(meaning ?? (said === '' ? 'the call failed without a word' : said));
};

/** Set up wrongly: waiting does not help, somebody must change something. */
export const isSetUpWrongly = (error: CallError): boolean => {
  if (error.code === UNAUTHENTICATED || error.code === PERMISSION_DENIED) return true;
  return /wrong version number|certificate|self.signed|unable to (?:verify|get)/i.test(wordsOf(error));
};
