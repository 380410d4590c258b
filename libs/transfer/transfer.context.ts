import { deviceOrderContext } from '@app/order-processing';
import type { AcceptedTransfer } from './domain/transfer.events';
import { transferCodec } from './transfer.codec';
import { transferStream } from './transfer.stream';

/** What order-processing's reactors need of this context. */
export const transferContext = deviceOrderContext<AcceptedTransfer>(transferCodec, transferStream);
