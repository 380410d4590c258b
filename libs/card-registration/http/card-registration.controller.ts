import { Controller, Inject } from '@nestjs/common';
import type { CreateCardRefRequest, CreateCardRefV4Request, GetCardInfoRequest } from '@app/gateway-protocol';
import { type AdmittedRequest, Admitted, type Answer, GroupAOperation, type Serves } from '@app/http/group-a';
import { CreateCardRefTranslations } from './create-card-ref.translation';
import { GetCardInfoTranslation } from './get-card-info.translation';

/** Card registration and card details (interface, sections 2.2 and 2.3). */
@Controller('api')
export class CardRegistrationController implements Serves<'createCardRef' | 'createCardRefV4' | 'getCardInfo'> {
  constructor(
    @Inject(CreateCardRefTranslations) private readonly registrations: CreateCardRefTranslations,
    @Inject(GetCardInfoTranslation) private readonly cardDetails: GetCardInfoTranslation,
  ) {}

  @GroupAOperation('createCardRef')
  createCardRef(@Admitted() request: AdmittedRequest<CreateCardRefRequest>): Promise<Answer> {
    return this.registrations.createCardRef.perform(request);
  }

  @GroupAOperation('createCardRefV4')
  createCardRefV4(@Admitted() request: AdmittedRequest<CreateCardRefV4Request>): Promise<Answer> {
    return this.registrations.createCardRefV4.perform(request);
  }

  @GroupAOperation('getCardInfo')
  getCardInfo(@Admitted() request: AdmittedRequest<GetCardInfoRequest>): Promise<Answer> {
    return this.cardDetails.perform(request);
  }
}
