import { Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS, CONFIGURATION } from '@app/configuration/configuration.module';
import { openEgress, type Egress } from '@app/http/client';
import { EgressModule, EGRESS_POLICY } from '@app/http/client/egress.module';
import { EVENT_STORE } from '@app/event-store/event-store.tokens';
import { made, CLOCK, FAILPOINTS, IDS, MONOTONIC, provide, RANDOM, SCHEDULER } from '@app/kernel/injection';
import { DeliverCallbackReactor } from './deliveries/deliver-callback.reactor';
import { ResendCallback } from './deliveries/resend-callback';
import { CALLBACK_EGRESS, CALLBACK_FACTS, DELIVERIES_LISTENER } from './deliveries.tokens';

@Module({
  imports: [EgressModule],
  providers: [
    provide(CALLBACK_EGRESS, { policy: EGRESS_POLICY, monotonic: MONOTONIC, scheduler: SCHEDULER }, (ports) => openEgress(ports)),
    provide(
      DeliverCallbackReactor,
      {
        store: EVENT_STORE,
        facts: CALLBACK_FACTS,
        merchants: ACCOUNTS,
        egress: CALLBACK_EGRESS,
        configuration: CONFIGURATION,
        clock: CLOCK,
        ids: IDS,
        random: RANDOM,
        failpoints: FAILPOINTS,
        listener: DELIVERIES_LISTENER,
      },
      ({ egress, configuration, failpoints, listener, ...ports }) =>
        new DeliverCallbackReactor({
          ...ports,
          egress: {
            send: async (request) => {
              const sending = egress.send(request);
              failpoints.reach('P10');
              const outcome = await sending;
              failpoints.reach('P11');
              return outcome;
            },
          },
          get speedFactor() {
            return configuration.callbacks.speedFactor;
          },
          onTried: (tried) => {
            failpoints.reach('P12');
            listener.tried(tried);
          },
        }),
    ),
    made(ResendCallback, { store: EVENT_STORE, sealer: CARD_VAULT, clock: CLOCK, ids: IDS }),
  ],
  exports: [DeliverCallbackReactor, ResendCallback],
})
export class DeliveriesModule implements OnApplicationShutdown {
  constructor(@Inject(CALLBACK_EGRESS) private readonly egress: Egress) {}

  onApplicationShutdown(): Promise<void> {
    return this.egress.close();
  }
}
