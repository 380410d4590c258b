import type { ObservedCase } from '@app/event-store/testing';
import type { Outcome } from './case-player';
import type { Rpc } from './world';

const RPCS: readonly Rpc[] = ['Append', 'BatchAppend'];

export const rpcsOf = ({ rpc }: ObservedCase): readonly Rpc[] => (rpc === 'both' ? RPCS : [rpc ?? 'BatchAppend']);

export const expectedOutcome = ({ then }: ObservedCase, rpc: Rpc): Outcome => {
  const { codeAndMessage, metastreamRevision, ...outcome } = then;
  const ofRpc = (codeAndMessage as Record<Rpc, readonly [number | null, string]> | undefined)?.[rpc];
  return {
    ...outcome,
    ...(ofRpc === undefined ? {} : { message: ofRpc[1], ...(ofRpc[0] === null ? {} : { code: ofRpc[0] }) }),
    ...(metastreamRevision === undefined ? {} : { metastreamRevision: 'its position' }),
  };
};
