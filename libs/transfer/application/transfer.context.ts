import { deviceOrderContext } from '@app/orders';
import type { AcceptedTransfer } from '../domain/transfer.events';
import { transferCodec } from './transfer.codec';
import { transferStream } from './transfer.stream';

/** Registers this context with the reactors of `orders`. */
export const transferContext = deviceOrderContext<AcceptedTransfer>(transferCodec, transferStream);
