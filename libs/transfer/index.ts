export { PerformTransferHandler } from './application/perform.handler';
export { transferCodec } from './application/transfer.codec';
export { TRANSFER_CATEGORY, transferStream } from './application/transfer.stream';
