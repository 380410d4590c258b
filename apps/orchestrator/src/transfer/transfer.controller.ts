import { Controller, Inject } from '@nestjs/common';
import type { PerformCause, PerformSaleRequest, PerformTransferRequest, StatusCause } from '@app/gateway-protocol';
import { PerformTransferHandler } from '@app/transfer';
import type { DeviceAnswer } from '../device-api/device-answer';
import { Admitted, DeviceOperation, type Serves } from '../device-api/device-operation.decorator';
import type { RequestInSession, SignedRequest } from '../device-api/device-request';
import { StatusTranslation } from '../device-api/order-status/status.translation';
import { PerformTranslation, type TakesDeviceOrders } from '../device-api/perform/perform.translation';
import { CompleteTransferTranslation } from './complete-transfer.translation';

type TransferOperation = 'perform-sale' | 'perform-transfer' | 'status-sale' | 'status-transfer' | 'complete-transfer';

/** Sales and transfers from an app: a sale is a transfer to its merchant (interface, sections 4.2, 4.5 and 4.7). */
@Controller()
export class TransferController implements Serves<TransferOperation> {
  constructor(
    @Inject(PerformTransferHandler) private readonly performTransfers: TakesDeviceOrders,
    @Inject(PerformTranslation) private readonly performing: Pick<PerformTranslation, 'perform'>,
    @Inject(StatusTranslation) private readonly status: Pick<StatusTranslation, 'answer'>,
    @Inject(CompleteTransferTranslation) private readonly completing: Pick<CompleteTransferTranslation, 'answer'>,
  ) {}

  @DeviceOperation('perform-sale')
  performSale(@Admitted() request: SignedRequest<PerformSaleRequest>): Promise<DeviceAnswer<PerformCause>> {
    return this.performing.perform(request, this.performTransfers);
  }

  @DeviceOperation('perform-transfer')
  performTransfer(@Admitted() request: SignedRequest<PerformTransferRequest>): Promise<DeviceAnswer<PerformCause>> {
    return this.performing.perform(request, this.performTransfers);
  }

  @DeviceOperation('status-sale')
  async statusSale(@Admitted() request: RequestInSession): Promise<DeviceAnswer<StatusCause>> {
    return this.status.answer(request);
  }

  // Before the complete transfer, whose path a status fits too: Nest looks for a path in the order of the methods.
  @DeviceOperation('status-transfer')
  async statusTransfer(@Admitted() request: RequestInSession): Promise<DeviceAnswer<StatusCause>> {
    return this.status.answer(request);
  }

  @DeviceOperation('complete-transfer')
  completeTransfer(@Admitted() request: RequestInSession): Promise<DeviceAnswer<PerformCause>> {
    return this.completing.answer(request);
  }
}
