export { PerformTransferHandler } from './application/perform.handler';
export { transferCodec, TRANSFER_CATEGORY, transferStream } from './application/transfer.codec';
