import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS } from '@app/configuration/configuration.module';
import { REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { CLOCK, provide, RANDOM } from '@app/kernel/injection';
import { GATE_CIRCUITS } from '../orders.tokens';
import { RouteOrder } from '../application/acceptance/route-order';
import { RoutingRulesRepository } from '../application/rules/routing-rules-repository';

/** Which gates an order tries. */
export const routingProviders = [
  provide(
    RoutingRulesRepository,
    { store: REQUEST_EVENT_STORE, clock: CLOCK },
    ({ store, clock }) => new RoutingRulesRepository(store, clock),
  ),
  provide(
    RouteOrder,
    { accounts: ACCOUNTS, gates: GATES, digests: CARD_VAULT, random: RANDOM, circuits: GATE_CIRCUITS, clock: CLOCK },
    (ports) => new RouteOrder(ports),
  ),
];
