import { CLOCK, provide } from '@app/kernel/injection';
import { OrderContexts } from '../application/order-context';
import { OrderRecorder } from '../application/order-recorder';
import { RecordDisputeReport } from '../application/gates/record-dispute-report';

/** What gates report after the end of an order. */
export const disputesProviders = [
  provide(
    RecordDisputeReport,
    { contexts: OrderContexts, recorder: OrderRecorder, clock: CLOCK },
    ({ contexts, recorder, clock }) => new RecordDisputeReport(contexts, recorder, clock),
  ),
];
