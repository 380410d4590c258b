import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { MONOTONIC, SCHEDULER, provide } from '@app/kernel/injection';
import { CallsUnderWay } from '../application/gates/calls-under-way';
import { GateCaller } from '../application/gates/gate-caller';
import { InquireAttempt } from '../application/gates/inquire-attempt';
import { GATE_CIRCUITS, HEARING_WATCH, ORDER_AGENDA, REQUEST_INDEX } from '../orders.tokens';
import { OrderContexts } from '../application/order-context';
import { OrderRecorder } from '../application/order-recorder';
import { EarlyReports } from '../application/gates/early-reports';
import { RecordDisputeReport } from '../application/gates/record-dispute-report';
import { HearGate } from '../application/gates/hear-gate';
import { HeardDisputes } from '../application/gates/heard-disputes';
import { Hints } from '../application/gates/hints';
import { RecordReport } from '../application/gates/record-gate-report';

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
