import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { IssuedReferences } from '@app/card-registration';
import { CardRegistrationModule } from '@app/card-registration/card-registration.module';
import { ACCOUNTS, CONFIGURATION } from '@app/configuration/configuration.module';
import type { Egress } from '@app/http/client';
import { EgressModule, EGRESS_POLICY } from '@app/http/client/egress.module';
import { CLOCK, MONOTONIC, provide, RANDOM, SCHEDULER, token } from '@app/kernel/injection';
import { MERCHANT_SERVER } from '@app/orders/orders.tokens';
import { AnsweredCards } from './answered-cards';
import { merchantServerEgress } from './server-call';
import { OrderMerchantServer } from './order-merchant-server';

export const MERCHANT_SERVER_EGRESS = token<Egress>('MERCHANT_SERVER_EGRESS');

/** Calls to merchant servers, for `orders`. At shutdown, running calls end within its deadline. */
@Module({
  imports: [CardRegistrationModule, EgressModule],
  providers: [
    provide(MERCHANT_SERVER_EGRESS, { policy: EGRESS_POLICY, monotonic: MONOTONIC, scheduler: SCHEDULER }, (ports) =>
      merchantServerEgress(ports),
    ),
    provide(
      MERCHANT_SERVER,
      {
        accounts: ACCOUNTS,
        configuration: CONFIGURATION,
        egress: MERCHANT_SERVER_EGRESS,
        references: IssuedReferences,
        vault: CARD_VAULT,
        clock: CLOCK,
        random: RANDOM,
      },
      ({ configuration, references, vault, ...ports }) =>
        new OrderMerchantServer({
          ...ports,
          vault,
          cards: new AnsweredCards(references, vault),
          get notificationWaitMs() {
            return configuration.groupB.notificationWaitMs;
          },
        }),
    ),
  ],
  exports: [MERCHANT_SERVER],
})
export class MerchantServerClientModule implements OnApplicationShutdown {
  constructor(@Inject(MERCHANT_SERVER_EGRESS) private readonly egress: Pick<Egress, 'close'>) {}

  onApplicationShutdown(): Promise<void> {
    return this.egress.close();
  }
}
