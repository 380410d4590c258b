import { Module } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { provide } from '@app/kernel/injection';
import { MerchantApiModule } from '@app/orders/http/merchant-api.module';
import { IssuedReferences } from '../application/issued-references';
import { RegisterCardHandler } from '../application/register-card.handler';
import { CardRegistrationModule } from '../card-registration.module';
import { CardRegistrationController } from './card-registration.controller';
import { CreateCardRefTranslations } from './create-card-ref.translation';
import { GetCardInfoTranslation } from './get-card-info.translation';

/** The merchant API of card registration and card details. */
@Module({
  imports: [MerchantApiModule, CardRegistrationModule],
  controllers: [CardRegistrationController],
  providers: [
    provide(CreateCardRefTranslations, { handler: RegisterCardHandler }, ({ handler }) => new CreateCardRefTranslations(handler)),
    provide(
      GetCardInfoTranslation,
      { references: IssuedReferences, sealer: CARD_VAULT },
      ({ references, sealer }) => new GetCardInfoTranslation(references, sealer),
    ),
  ],
})
export class CardRegistrationApiModule {}
