import { deviceOrderDecider } from '@app/order-processing/domain';
import type { AcceptedTransfer } from './transfer.events';

export const transfer = deviceOrderDecider<AcceptedTransfer>();
