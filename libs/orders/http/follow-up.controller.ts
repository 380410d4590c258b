import { Controller, Inject } from '@nestjs/common';
import type { CaptureRequest, ReturnRequest, VoidRequest } from '@app/gateway-protocol';
import { type AdmittedRequest, Admitted, type Answered, GroupAOperation, type Serves, IdempotencyKeys } from '@app/http/group-a';
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
