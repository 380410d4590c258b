import { Controller, Inject } from '@nestjs/common';
import type { CreateCardRefRequest, CreateCardRefV4Request, GetCardInfoRequest } from '@app/gateway-protocol';
import type { AdmittedRequest } from '../merchant-api/admitted-request';
import { Admitted } from '../merchant-api/admitted.decorator';
import type { Answer } from '../merchant-api/answers/answer';
import { GroupAOperation, type Serves } from '../merchant-api/group-a-operation.decorator';
import { CardReferences } from './create-card-ref.translation';
import { GetCardInfo } from './get-card-info.translation';

/** References to cards, made of orders that proved them, and what a merchant may see of such a card (interface, sections 2.2 and 2.3). */
@Controller('api')
export class CardRegistrationController implements Serves<'createCardRef' | 'createCardRefV4' | 'getCardInfo'> {
  constructor(
    @Inject(CardReferences) private readonly references: CardReferences,
    @Inject(GetCardInfo) private readonly cards: GetCardInfo,
  ) {}

  @GroupAOperation('createCardRef')
  createCardRef(@Admitted() request: AdmittedRequest<CreateCardRefRequest>): Promise<Answer> {
    return this.references.createCardRef.perform(request);
  }

  @GroupAOperation('createCardRefV4')
  createCardRefV4(@Admitted() request: AdmittedRequest<CreateCardRefV4Request>): Promise<Answer> {
    return this.references.createCardRefV4.perform(request);
  }

  @GroupAOperation('getCardInfo')
  getCardInfo(@Admitted() request: AdmittedRequest<GetCardInfoRequest>): Promise<Answer> {
    return this.cards.perform(request);
  }
}
