import { Controller, Inject } from '@nestjs/common';
import type { AccountVerificationRequest, SaleRequest } from '@app/gateway-protocol';
import { type AdmittedRequest, Admitted, type Answered, GroupAOperation, type Serves, IdempotencyKeys } from '@app/http/group-a';
import { InitialPaymentTranslations } from './initial-payment.translation';

/** Sale, preauth and account verification, whose requests carry the card (protocol decisions, D10.1). */
@Controller('api')
export class PaymentController implements Serves<'sale' | 'preauth' | 'accountVerification'> {
  constructor(
    @Inject(InitialPaymentTranslations) private readonly translations: InitialPaymentTranslations,
    @Inject(IdempotencyKeys) private readonly idempotency: IdempotencyKeys,
  ) {}

  @GroupAOperation('sale')
  sale(@Admitted() request: AdmittedRequest<SaleRequest>): Promise<Answered> {
    return this.idempotency.perform(request, this.translations.sale);
  }

  @GroupAOperation('preauth')
  preauth(@Admitted() request: AdmittedRequest<SaleRequest>): Promise<Answered> {
    return this.idempotency.perform(request, this.translations.preauth);
  }

  @GroupAOperation('accountVerification')
  accountVerification(@Admitted() request: AdmittedRequest<AccountVerificationRequest>): Promise<Answered> {
    return this.idempotency.perform(request, this.translations.accountVerification);
  }
}
