import { Module } from '@nestjs/common';
import { IssuedReferences, RegisterCardHandler } from '@app/card-registration';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { provide } from '@app/injection';
import { CardRegistrationModule } from '@app/card-registration/card-registration.module';
import { MerchantApiModule } from '../merchant-api/merchant-api.module';
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
