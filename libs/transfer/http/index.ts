export { CompleteTransferTranslation, TransferController } from './transfer.controller';
