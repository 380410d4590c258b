import { CLOCK, provide } from '@app/injection';
import { OrderContexts } from '../order/application/order-context';
import { OrderRecorder } from '../order/application/order-recorder';
import { RecordDisputeReport } from './application/record-dispute-report';

/** What gates report after the end of an order. */
export const disputesProviders = [
  provide(
    RecordDisputeReport,
    { contexts: OrderContexts, recorder: OrderRecorder, clock: CLOCK },
    ({ contexts, recorder, clock }) => new RecordDisputeReport(contexts, recorder, clock),
  ),
];
