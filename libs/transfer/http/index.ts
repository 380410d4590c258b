export { CompleteTransferTranslation } from './complete-transfer.translation';
export { TransferController } from './transfer.controller';
