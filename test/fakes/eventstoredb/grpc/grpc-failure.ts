export const GrpcCode = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  notFound: 5,
  alreadyExists: 6,
  resourceExhausted: 8,
  failedPrecondition: 9,
  aborted: 10,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
} as const;
export type GrpcCode = (typeof GrpcCode)[keyof typeof GrpcCode];

const PRINTABLE = /^[\x20-\x7e]*$/;
const asHeader = (text: string): string => (PRINTABLE.test(text) ? text : encodeURIComponent(text));

export class GrpcFailure extends Error {
  override readonly name = 'GrpcFailure';
  readonly code: GrpcCode;
  readonly trailers: Readonly<Record<string, string>>;

  constructor(code: GrpcCode, message: string, trailers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.code = code;
    this.trailers = Object.fromEntries(Object.entries(trailers).map(([name, value]) => [name, asHeader(value)]));
  }
}

export const handlerThrew = (): GrpcFailure => new GrpcFailure(GrpcCode.unknown, 'Exception was thrown by handler.');

export const streamDeleted = (stream: string): GrpcFailure =>
  new GrpcFailure(GrpcCode.failedPrecondition, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': stream,
  });

export const deleteAtWrongVersion = (stream: string, expected: bigint, actual: bigint): GrpcFailure =>
  new GrpcFailure(
    GrpcCode.failedPrecondition,
    `Delete failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${expected}, Actual version: ${actual}`,
    { exception: 'wrong-expected-version', 'stream-name': stream, 'expected-version': `${expected}`, 'actual-version': `${actual}` },
  );

export const appendTooLarge = (bytesMax: number): GrpcFailure =>
  new GrpcFailure(GrpcCode.invalidArgument, `Maximum Append Size of ${bytesMax} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': `${bytesMax}`,
  });

export const notLeader = (leader: { readonly host: string; readonly port: number }): GrpcFailure =>
  new GrpcFailure(GrpcCode.notFound, 'Leader info available', {
    exception: 'not-leader',
    'leader-endpoint-host': leader.host,
    'leader-endpoint-port': `${leader.port}`,
  });

export const notReady = (): GrpcFailure => new GrpcFailure(GrpcCode.unavailable, 'Server Is Not Ready');

export const cancelled = (): GrpcFailure => new GrpcFailure(GrpcCode.cancelled, 'Call canceled by the server.');

/** The write did not get its quorum in time, but may be committed. */
export const commitTimedOut = (): GrpcFailure => new GrpcFailure(GrpcCode.aborted, 'Operation timed out: Commit phase timeout.');

export type DroppedWhile = 'live' | 'transitioning to live';

export const consumerTooSlow = (dropped: DroppedWhile): GrpcFailure =>
  new GrpcFailure(
    GrpcCode.aborted,
    `Operation timed out: Consumer too slow to handle event while ${dropped}. Client resubscription required.`,
  );
