import type { IncomingHttpHeaders } from 'node:http2';
import type { WireServerFaults } from './faults';
import { notLeader } from './grpc/grpc-failure';
import type { LogWriter } from './log/log-writer';
import type { StreamView } from './log/stream-view';
import type { WireServerLog } from './log/wire-server-log';

export interface Address {
  readonly host: string;
  readonly port: number;
}

export interface Node {
  readonly log: WireServerLog;
  readonly view: StreamView;
  readonly faults: WireServerFaults;
  /** The leader's writer; a follower forwards writes. */
  readonly writer: () => LogWriter;
  readonly leaderElsewhere: () => Address | undefined;
  readonly writeTimeoutMs: number;
}

/**
 * @throws GrpcFailure that names the leader, if the caller requires it.
 */
export const assertMayAnswer = (node: Node, metadata: IncomingHttpHeaders): void => {
  const leader = node.leaderElsewhere();
  if (leader !== undefined && metadata['requires-leader'] === 'true') throw notLeader(leader);
};
