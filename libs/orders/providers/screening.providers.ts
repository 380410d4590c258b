import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { CLOCK, provide } from '@app/kernel/injection';
import { OrderRecorder } from '../application/order-recorder';
import { ScreenOrder } from '../application/rules/screen-order';
import { ScreeningRulesRepository } from '../application/rules/screening-rules-repository';
import { Velocity } from '../application/rules/velocity';

/** Who is refused before a gate is asked. */
export const screeningProviders = [
  provide(
    ScreeningRulesRepository,
    { store: REQUEST_EVENT_STORE, clock: CLOCK },
    ({ store, clock }) => new ScreeningRulesRepository(store, clock),
  ),
  provide(Velocity, { store: REQUEST_EVENT_STORE, clock: CLOCK }, ({ store, clock }) => new Velocity(store, clock)),
  provide(
    ScreenOrder,
    {
      rules: ScreeningRulesRepository,
      velocity: Velocity,
      recorder: OrderRecorder,
      sealer: CARD_VAULT,
      digests: CARD_VAULT,
      clock: CLOCK,
    },
    (ports) => new ScreenOrder(ports),
  ),
];
