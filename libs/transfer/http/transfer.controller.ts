import { Controller, Inject } from '@nestjs/common';
import type { PerformCause, PerformSaleRequest, PerformTransferRequest, StatusCause } from '@app/gateway-protocol';
import { type DeviceAnswer, Admitted, DeviceOperation, type Serves, type RequestInSession, type SignedRequest } from '@app/http/group-b';
import { StatusTranslation, PerformTranslation, type DeviceOrderHandler } from '@app/orders/http';
import { PerformTransferHandler } from '../application/perform.handler';
import { CompleteTransferTranslation } from './complete-transfer.translation';

type TransferOperation = 'perform-sale' | 'perform-transfer' | 'status-sale' | 'status-transfer' | 'complete-transfer';

/** Sales and transfers of an app; a sale is a transfer to its merchant (interface, sections 4.2, 4.5 and 4.7). */
@Controller()
export class TransferController implements Serves<TransferOperation> {
  constructor(
    @Inject(PerformTransferHandler) private readonly handler: DeviceOrderHandler,
    @Inject(PerformTranslation) private readonly perform: Pick<PerformTranslation, 'perform'>,
    @Inject(StatusTranslation) private readonly status: Pick<StatusTranslation, 'answer'>,
    @Inject(CompleteTransferTranslation) private readonly completion: Pick<CompleteTransferTranslation, 'answer'>,
  ) {}

  @DeviceOperation('perform-sale')
  performSale(@Admitted() request: SignedRequest<PerformSaleRequest>): Promise<DeviceAnswer<PerformCause>> {
    return this.perform.perform(request, this.handler);
  }

  @DeviceOperation('perform-transfer')
  performTransfer(@Admitted() request: SignedRequest<PerformTransferRequest>): Promise<DeviceAnswer<PerformCause>> {
    return this.perform.perform(request, this.handler);
  }

  @DeviceOperation('status-sale')
  async statusSale(@Admitted() request: RequestInSession): Promise<DeviceAnswer<StatusCause>> {
    return this.status.answer(request);
  }

  // Before `completeTransfer`, whose path fits a status too: Nest matches paths in the order of the methods.
  @DeviceOperation('status-transfer')
  async statusTransfer(@Admitted() request: RequestInSession): Promise<DeviceAnswer<StatusCause>> {
    return this.status.answer(request);
  }

  @DeviceOperation('complete-transfer')
  completeTransfer(@Admitted() request: RequestInSession): Promise<DeviceAnswer<PerformCause>> {
    return this.completion.answer(request);
  }
}
