import { Controller, Inject } from '@nestjs/common';
import type { MakeRebillSaleRequest } from '@app/gateway-protocol';
import type { AdmittedRequest } from '../merchant-api/admitted-request';
import { Admitted } from '../merchant-api/admitted.decorator';
import type { Answered } from '../merchant-api/answers/answer';
import { GroupAOperation, type Serves } from '../merchant-api/group-a-operation.decorator';
import { IdempotencyKeys } from '../merchant-api/idempotency/idempotency-keys';
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
