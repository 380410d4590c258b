import type { DisputeReported } from '@app/gateway-adapters/contract';
import type { RecordDisputeReport } from './record-dispute-report';
import type { OrderContexts } from '../order-context';
import type { HeardOutcome, HeardReport } from './hearing-ports';
import { sentUnderKey } from './sent-under-key';

export type HeardDispute = Extract<HeardOutcome, 'recorded' | 'nothing-new' | 'set-aside' | 'refused' | 'unknown'>;

const HEARD = { recorded: 'recorded', known: 'nothing-new', 'set-aside': 'set-aside', refused: 'refused' } as const;

/** Records what a gate told of an order after its end, as what comes on paper is recorded. */
export class HeardDisputes {
  constructor(
    private readonly contexts: Pick<OrderContexts, 'findByStream'>,
    private readonly disputes: Pick<RecordDisputeReport, 'record'>,
  ) {}

  /**
   * `unknown` where the order's stream knows no attempt of this key at this gate: no gate speaks for another.
   * @throws StoreUnavailable, OutcomeUnknown where it may not be recorded; told again, it is recorded once
   */
  async record({ gate, stream, report: { key, news }, deadline }: HeardReport<DisputeReported>): Promise<HeardDispute> {
    const open = await this.contexts.findByStream(stream, deadline);
    if (open === undefined || sentUnderKey(open, gate, key)?.kind !== 'attempt') return 'unknown';
    const { kind } = await this.disputes.record(stream, { ...news, gate, source: 'gate', attemptKey: key });
    return HEARD[kind];
  }
}
