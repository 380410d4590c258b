export interface CallError extends Error {
  readonly code?: number;
  readonly details?: string;
  readonly metadata?: { getMap(): Readonly<Record<string, unknown>> };
}

/**
 * The meaning of a failed call for an append (EventStoreDB notes, section 1, point 3). `untouched`: not processed; retry. `lost`: the
 * append may be stored; retry with the same ids. `denied`: nothing is stored, and a retry is useless. `too-large`: above the server's
 * limit, nothing is stored. `unrecognised`: neither safe to retry nor known to be absent.
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

/** gRPC's messages for a call without a connection, and the client's for a cluster that it cannot find. */
const NEVER_LEFT = [
  'No connection established',
  'Name resolution failed',
  'Channel closed before call started',
  'Channel has been shut down',
  'Failed to discover',
];
const NOT_YET_SENT = /waiting for (?:LB pick|name resolution|metadata filters)/i;
const NOT_PROCESSED = ['Server Is Not Ready', 'Server Is Busy'];

/** Ends a dead connection: the client reconnects only if the server is unavailable. */
export const connectionDead = (): CallError => Object.assign(new Error('the connection is dead'), { code: UNAVAILABLE });

/** Ended by this adapter, which says nothing of the server. */
export const isCancelledHere = ({ code, details }: CallError): boolean => code === CANCELLED && details === 'Cancelled on client';

export const silence = (ms: number): CallError =>
  Object.assign(new Error(`it says nothing for ${Math.round(ms)} ms`), { code: DEADLINE_EXCEEDED });

export const isDeadline = ({ code }: CallError): boolean => code === DEADLINE_EXCEEDED;

/** The server dropped a slow live subscriber, which is normal (EventStoreDB notes, section 1, point 10). */
export const isDroppedReader = (error: CallError): boolean => error.code === ABORTED && /resubscription required/i.test(messageOf(error));

export const exceptionOf = ({ metadata }: CallError): string => {
  const named = metadata?.getMap().exception;
  return typeof named === 'string' ? named : '';
};

const messageOf = (error: CallError): string => error.details ?? error.message;
const says = (error: CallError, words: readonly string[]): boolean => words.some((text) => messageOf(error).includes(text));

const neverLeft = (error: CallError): boolean =>
  says(error, NEVER_LEFT) || (NOT_YET_SENT.test(messageOf(error)) && !messageOf(error).includes('previous attempts'));

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
  if (says(error, NOT_PROCESSED)) return 'untouched';
  switch (error.code) {
    case undefined:
      return neverLeft(error) ? 'untouched' : 'unrecognised';
    case UNAVAILABLE:
    case DEADLINE_EXCEEDED:
      return neverLeft(error) ? 'untouched' : 'lost';
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

const ADVICE: readonly (readonly [sign: RegExp, meaning: string])[] = [
  [/wrong version number|packet length too long/i, 'the server answers without TLS: add tls=false, or give the server a certificate'],
  [
    /unable to verify|self.signed|unable to get (?:local )?issuer|certificate has expired|Hostname\/IP does not match|certificate/i,
    'its certificate is not trusted: set tlsCAFile to its authority’s certificate',
  ],
  [/ECONNREFUSED/, 'nothing listens there (connection refused)'],
  [/Name resolution failed|ENOTFOUND|EAI_AGAIN/, 'its host name cannot be resolved'],
  [/Failed to discover/, 'no usable node of the cluster was found'],
  [
    /Failed to connect|EPROTO|ECONNRESET.*TLS/,
    'the server does not answer like EventStoreDB: the port is wrong, or the server uses TLS although tls=false is set',
  ],
];

/** One line for logs and readiness, with the server and the fault. It never contains credentials, because no call's message does. */
export const describeFailure = (server: string, error: CallError): string => {
  const line = (meaning: string): string => oneLine(`event store ${server}: ${meaning}`);
  if (error.code === UNAUTHENTICATED) return line('the user name or password is wrong');
  if (error.code === PERMISSION_DENIED || exceptionOf(error) === 'access-denied') {
    return line('this user lacks a permission (the service also needs to read $all)');
  }
  if (exceptionOf(error) === 'stream-deleted') return line('the stream was deleted, which this service never does');
  const message = messageOf(error);
  const [, meaning] = ADVICE.find(([sign]) => sign.test(message)) ?? [];
  return line(meaning ?? (message === '' ? 'the call failed without a message' : message));
};

export const isSetUpWrongly = (error: CallError): boolean => {
  if (error.code === UNAUTHENTICATED || error.code === PERMISSION_DENIED) return true;
  return /wrong version number|certificate|self.signed|unable to (?:verify|get)/i.test(messageOf(error));
};
