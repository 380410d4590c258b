import { Controller, Inject } from '@nestjs/common';
import { PerformVerificationHandler } from '@app/device-verification';
import type { PerformCause, PerformVerificationRequest, StatusCause } from '@app/gateway-protocol';
import type { DeviceAnswer } from '../device-api/device-answer';
import { Admitted, DeviceOperation, type Serves } from '../device-api/device-operation.decorator';
import type { RequestInSession, SignedRequest } from '../device-api/device-request';
import { StatusTranslation } from '../device-api/order-status/status.translation';
import { PerformTranslation, type TakesDeviceOrders } from '../device-api/perform/perform.translation';

/** Verification of a card from an app (interface, sections 4.2, 4.5 and 4.7). */
@Controller()
export class DeviceVerificationController implements Serves<'perform-verification' | 'status-verification'> {
  constructor(
    @Inject(PerformVerificationHandler) private readonly performVerifications: TakesDeviceOrders,
    @Inject(PerformTranslation) private readonly performing: Pick<PerformTranslation, 'perform'>,
    @Inject(StatusTranslation) private readonly status: Pick<StatusTranslation, 'answer'>,
  ) {}

  @DeviceOperation('perform-verification')
  performVerification(@Admitted() request: SignedRequest<PerformVerificationRequest>): Promise<DeviceAnswer<PerformCause>> {
    return this.performing.perform(request, this.performVerifications);
  }

  @DeviceOperation('status-verification')
  async statusVerification(@Admitted() request: RequestInSession): Promise<DeviceAnswer<StatusCause>> {
    return this.status.answer(request);
  }
}
