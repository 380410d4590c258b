import { Controller, Inject } from '@nestjs/common';
import type { MakeRebillSaleRequest } from '@app/gateway-protocol';
import { type AdmittedRequest, Admitted, type Answered, GroupAOperation, type Serves, IdempotencyKeys } from '@app/http/group-a';
import { RebillTranslations } from './make-rebill.translation';

/** Recurrent payment and recurrent pre-authorisation of registered cards (interface, section 2.4). */
@Controller('api')
export class RecurringController implements Serves<'makeRebillSale' | 'makeRebillPreauth'> {
  constructor(
    @Inject(RebillTranslations) private readonly translations: RebillTranslations,
    @Inject(IdempotencyKeys) private readonly idempotency: IdempotencyKeys,
  ) {}

  @GroupAOperation('makeRebillSale')
  makeRebillSale(@Admitted() request: AdmittedRequest<MakeRebillSaleRequest>): Promise<Answered> {
    return this.idempotency.perform(request, this.translations.makeRebillSale);
  }

  @GroupAOperation('makeRebillPreauth')
  makeRebillPreauth(@Admitted() request: AdmittedRequest<MakeRebillSaleRequest>): Promise<Answered> {
    return this.idempotency.perform(request, this.translations.makeRebillPreauth);
  }
}
