import { Module } from '@nestjs/common';
import { IssuedReferences, RegisterCardHandler } from '@app/card-registration';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { provide } from '@app/injection';
import { CardRegistrationModule } from '@app/card-registration/card-registration.module';
import { MerchantApiModule } from '../merchant-api/merchant-api.module';
import { CardRegistrationController } from './card-registration.controller';
import { CardReferences } from './create-card-ref.translation';
import { GetCardInfo } from './get-card-info.translation';

/** Card registration and card details, as merchants ask for them. */
@Module({
  imports: [MerchantApiModule, CardRegistrationModule],
  controllers: [CardRegistrationController],
  providers: [
    provide(CardReferences, { handler: RegisterCardHandler }, ({ handler }) => new CardReferences(handler)),
    provide(
      GetCardInfo,
      { references: IssuedReferences, sealer: CARD_VAULT },
      ({ references, sealer }) => new GetCardInfo(references, sealer),
    ),
  ],
})
export class CardRegistrationApiModule {}
