import { Controller, Inject } from '@nestjs/common';
import type { GateAlias } from '@app/kernel';
import type { FeeChoice, NamedRequest, OpenOrder, OrderContexts } from '@app/orders';
import type { PerformCause, PerformSaleRequest, PerformTransferRequest, StatusCause } from '@app/gateway-protocol';
import {
  failed,
  type DeviceAnswer,
  type RequestInSession,
  Admitted,
  DeviceOperation,
  type ServesDevices,
  type SignedRequest,
} from '@app/http/group-b';
import { StatusTranslation, PerformTranslation, type DeviceOrderHandler } from '@app/orders/http';
import { PerformTransferHandler } from '../application/perform.handler';

interface CompleteTransferPorts {
  readonly contexts: Pick<OrderContexts, 'open'>;
  readonly fees: {
    choose(open: OpenOrder, gate: GateAlias, request: NamedRequest): Promise<FeeChoice>;
  };
}

/** The order continues at the gate whose fee the consumer chose (interface, sections 3.2 and 4.2). */
export class CompleteTransferTranslation {
  constructor(private readonly ports: CompleteTransferPorts) {}

  async answer(request: RequestInSession): Promise<DeviceAnswer<PerformCause>> {
    const { order, path, message, deadline } = request;
    const { contexts, fees } = this.ports;
    const choice = await fees.choose(await contexts.open(order.stream, deadline), (path.assignedId ?? '') as GateAlias, request);
    if (choice.kind === 'chosen') {
      return { kind: 'answer', body: { invoiceId: order.view.clientOrderId, session: { token: message.session.token } } };
    }
    return choice.reason === 'fee-not-offered'
      ? failed(choice.reason, 'INVALID_REQUEST', 'assignedId is none of those offered')
      : failed('fee-not-awaited', 'INVALID_REQUEST', 'The transfer waits for no choice');
  }
}

type TransferOperation = 'perform-sale' | 'perform-transfer' | 'status-sale' | 'status-transfer' | 'complete-transfer';

@Controller()
export class TransferController implements ServesDevices<TransferOperation> {
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

  // Before `completeTransfer`, whose path also matches a status: Nest matches paths in the order of the methods.
  @DeviceOperation('status-transfer')
  async statusTransfer(@Admitted() request: RequestInSession): Promise<DeviceAnswer<StatusCause>> {
    return this.status.answer(request);
  }

  @DeviceOperation('complete-transfer')
  completeTransfer(@Admitted() request: RequestInSession): Promise<DeviceAnswer<PerformCause>> {
    return this.completion.answer(request);
  }
}
