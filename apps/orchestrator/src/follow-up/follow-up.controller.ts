import { Controller, Inject } from '@nestjs/common';
import type { CaptureRequest, ReturnRequest, VoidRequest } from '@app/gateway-protocol';
import type { AdmittedRequest } from '../merchant-api/admitted-request';
import { Admitted } from '../merchant-api/admitted.decorator';
import type { Answered } from '../merchant-api/answers/answer';
import { GroupAOperation, type Serves } from '../merchant-api/group-a-operation.decorator';
import { IdempotencyKeys } from '../merchant-api/idempotency/idempotency-keys';
import { FollowUpTranslations } from './follow-up.translation';

/** Capture, return and void of approved orders (protocol decisions, D10.3 to D10.5). */
@Controller('api')
export class FollowUpController implements Serves<'capture' | 'return' | 'void'> {
  constructor(
    @Inject(FollowUpTranslations) private readonly translations: FollowUpTranslations,
    @Inject(IdempotencyKeys) private readonly idempotency: IdempotencyKeys,
  ) {}

  @GroupAOperation('capture')
  capture(@Admitted() request: AdmittedRequest<CaptureRequest>): Promise<Answered> {
    return this.idempotency.perform(request, this.translations.capture);
  }

  @GroupAOperation('return')
  return(@Admitted() request: AdmittedRequest<ReturnRequest>): Promise<Answered> {
    return this.idempotency.perform(request, this.translations.return);
  }

  @GroupAOperation('void')
  void(@Admitted() request: AdmittedRequest<VoidRequest>): Promise<Answered> {
    return this.idempotency.perform(request, this.translations.void);
  }
}
