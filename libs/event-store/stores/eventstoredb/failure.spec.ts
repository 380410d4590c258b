import { describeFailure, isSetUpWrongly, isWorthRetrying, kindOf, type CallError, type FailureKind } from './failure';

const failure = (code: number | undefined, details: string, exception?: string): CallError =>
  Object.assign(new Error(`${code ?? ''} X: ${details}`), {
    ...(code !== undefined && { code, details }),
    ...(exception !== undefined && { metadata: { getMap: () => ({ exception }) } }),
  });

/** Errors observed on EventStoreDB 23.10.7 and gRPC 1.14.7. */
const OBSERVED: readonly (readonly [kind: FailureKind, error: CallError])[] = [
  ['untouched', failure(5, 'Leader info available', 'not-leader')],
  ['untouched', failure(14, 'Server Is Not Ready')],
  ['untouched', failure(14, 'Server Is Busy')],
  ['untouched', failure(14, 'No connection established. Last error: connect ECONNREFUSED 127.0.0.1:2113. Resolution note: ')],
  ['untouched', failure(14, 'No connection established')],
  ['untouched', failure(14, 'Name resolution failed for target dns:nowhere:2113')],
  ['untouched', failure(14, 'Channel closed before call started')],
  ['untouched', failure(undefined, 'Channel has been shut down')],
  ['untouched', failure(undefined, 'Failed to discover after 10 attempts.')],
  ['untouched', failure(4, 'Deadline exceeded after 1.000s,Waiting for LB pick')],
  ['untouched', failure(4, 'Deadline exceeded after 1.000s,waiting for name resolution')],
  ['lost', failure(4, 'Deadline exceeded after 1.000s,LB pick: 0.002s,remote_addr=127.0.0.1:2113')],
  ['lost', failure(4, 'Deadline exceeded after 1.000s,previous attempts: 1,Waiting for LB pick')],
  ['lost', failure(14, 'read ECONNRESET')],
  ['lost', failure(14, 'Connection dropped')],
  ['lost', failure(1, 'Call cancelled')],
  ['lost', failure(1, 'Cancelled on client')],
  ['lost', failure(10, 'Operation timed out: Commit phase timeout.')],
  ['lost', failure(10, 'Operation timed out: Request canceled by server')],
  ['lost', failure(13, 'Received RST_STREAM with code 0 (Call ended without gRPC status)')],
  ['lost', failure(13, 'write after end')],
  ['denied', failure(7, 'Access Denied', 'access-denied')],
  ['denied', failure(16, 'Unauthenticated')],
  ['denied', failure(9, "Event stream 's' is deleted.", 'stream-deleted')],
  ['denied', failure(3, 'bad request')],
  ['too-large', failure(3, 'Maximum Append Size of 1048576 Exceeded.', 'maximum-append-size-exceeded')],
  ['unrecognised', failure(2, 'Exception was thrown by handler.')],
  ['unrecognised', failure(8, 'Bandwidth exhausted or memory limit exceeded')],
  ['unrecognised', failure(12, 'Method is unimplemented.')],
  ['unrecognised', failure(13, 'Request message serialization failure: Cannot read properties of null')],
  ['unrecognised', failure(undefined, 'a bug')],
];

describe('failure of a call', () => {
  it.each(OBSERVED)('has the kind %s: %s', (kind, error) => {
    expect(kindOf(error)).toBe(kind);
    expect(isWorthRetrying(kind)).toBe(kind === 'untouched' || kind === 'lost');
  });

  it.each([
    [
      failure(14, 'No connection established. Last error: connect ECONNREFUSED 10.0.0.1:2113. Resolution note: '),
      'nothing listens there (connection refused)',
      false,
    ],
    [failure(14, 'Name resolution failed for target dns:nowhere:2113'), 'its host name cannot be resolved', false],
    [failure(undefined, 'Failed to discover after 10 attempts.'), 'no usable node of the cluster was found', false],
    [failure(16, 'Unauthenticated'), 'the user name or password is wrong', true],
    [failure(7, 'Access Denied', 'access-denied'), 'this user lacks a permission (the service also needs to read $all)', true],
    [
      failure(14, 'No connection established. Last error: Error: unable to verify the first certificate. Resolution note: '),
      'its certificate is not trusted: set tlsCAFile to its authority’s certificate',
      true,
    ],
    [
      failure(
        14,
        'No connection established. Last error: Error: 40:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/openssl.c:350:\n. ',
      ),
      'the server answers without TLS: add tls=false, or give the server a certificate',
      true,
    ],
    [
      failure(14, 'No connection established. Last error: Failed to connect . Resolution note: '),
      'the server does not answer like EventStoreDB: the port is wrong, or the server uses TLS although tls=false is set',
      false,
    ],
    [failure(14, 'read ECONNRESET'), 'read ECONNRESET', false],
    [failure(13, 'one\nand\n another'), 'one and another', false],
  ])('is described in one line: %s', (error, meaning, isWrong) => {
    expect(describeFailure('es:2113', error)).toBe(`event store es:2113: ${meaning}`);
    expect(isSetUpWrongly(error)).toBe(isWrong);
  });
});
