import { deviceOrderDecider } from '@app/orders/domain';
import type { AcceptedTransfer } from './transfer.events';

export const transfer = deviceOrderDecider<AcceptedTransfer>();
