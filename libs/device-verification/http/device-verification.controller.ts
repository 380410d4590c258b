import { Controller, Inject } from '@nestjs/common';
import type { PerformCause, PerformVerificationRequest, StatusCause } from '@app/gateway-protocol';
import {
  type DeviceAnswer,
  Admitted,
  DeviceOperation,
  type ServesDevices,
  type RequestInSession,
  type SignedRequest,
} from '@app/http/group-b';
import { StatusTranslation, PerformTranslation, type DeviceOrderHandler } from '@app/orders/http';
import { PerformVerificationHandler } from '../application/perform.handler';

@Controller()
export class DeviceVerificationController implements ServesDevices<'perform-verification' | 'status-verification'> {
  constructor(
    @Inject(PerformVerificationHandler) private readonly handler: DeviceOrderHandler,
    @Inject(PerformTranslation) private readonly perform: Pick<PerformTranslation, 'perform'>,
    @Inject(StatusTranslation) private readonly status: Pick<StatusTranslation, 'answer'>,
  ) {}

  @DeviceOperation('perform-verification')
  performVerification(@Admitted() request: SignedRequest<PerformVerificationRequest>): Promise<DeviceAnswer<PerformCause>> {
    return this.perform.perform(request, this.handler);
  }

  @DeviceOperation('status-verification')
  async statusVerification(@Admitted() request: RequestInSession): Promise<DeviceAnswer<StatusCause>> {
    return this.status.answer(request);
  }
}
