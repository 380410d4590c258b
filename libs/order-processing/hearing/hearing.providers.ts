import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { MONOTONIC, SCHEDULER, provide } from '@app/injection';
import { CallsUnderWay } from '../attempts/application/calls-under-way';
import { GateCaller } from '../attempts/application/gate-caller';
import { InquireAttempt } from '../attempts/application/inquire-attempt';
import { GATE_CIRCUITS, HEARING_WATCH, ORDER_AGENDA, REQUEST_INDEX } from '../order-processing.tokens';
import { OrderContexts } from '../order/application/order-context';
import { OrderRecorder } from '../order/application/order-recorder';
import { EarlyReports } from './application/early-reports';
import { RecordDisputeReport } from '../disputes/application/record-dispute-report';
import { HearGate } from './application/hear-gate';
import { HeardDisputes } from './application/heard-disputes';
import { Hints } from './application/hints';
import { RecordReport } from './application/record-report';

/** What gates tell by themselves. */
export const hearingProviders = [
  provide(
    RecordReport,
    {
      contexts: OrderContexts,
      recorder: OrderRecorder,
      caller: GateCaller,
      underWay: CallsUnderWay,
      inquiring: InquireAttempt,
      monotonic: MONOTONIC,
      scheduler: SCHEDULER,
    },
    (ports) => new RecordReport(ports),
  ),
  provide(
    EarlyReports,
    { monotonic: MONOTONIC, scheduler: SCHEDULER },
    ({ monotonic, scheduler }) => new EarlyReports(monotonic, scheduler),
  ),
  provide(
    Hints,
    {
      contexts: OrderContexts,
      circuits: GATE_CIRCUITS,
      requests: REQUEST_INDEX,
      agenda: ORDER_AGENDA,
      monotonic: MONOTONIC,
      watch: HEARING_WATCH,
    },
    (ports) => new Hints(ports),
  ),
  provide(
    HeardDisputes,
    { contexts: OrderContexts, disputes: RecordDisputeReport },
    ({ contexts, disputes }) => new HeardDisputes(contexts, disputes),
  ),
  provide(
    HearGate,
    {
      gates: GATES,
      recording: RecordReport,
      disputes: HeardDisputes,
      early: EarlyReports,
      hints: Hints,
      requests: REQUEST_INDEX,
      agenda: ORDER_AGENDA,
      watch: HEARING_WATCH,
    },
    (ports) => new HearGate(ports),
  ),
];
