import { Global, Module } from '@nestjs/common';
import { EndReference, IssuedReferences, MapCards } from '@app/card-registration';
import { CardRegistrationModule } from '@app/card-registration/card-registration.module';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { CALLBACK_FACTS } from '@app/callbacks/deliveries.tokens';
import { EraseOrder, RetainOrder } from '@app/investigation/erasure';
import { EVENT_STORE } from '@app/event-store/event-store.tokens';
import { built, made, CLOCK, IDS, provide } from '@app/kernel/injection';
import { CONFIGURATION } from '@app/configuration/configuration.module';
import {
  CurrentOrderReader,
  deliveryFacts,
  ORDER_WORK,
  StreamCallbackFacts,
  StreamNotificationFacts,
  StreamErasableData,
} from '@app/read-models/queries';
import { MerchantServerClientModule } from '@app/callbacks/merchant-server/merchant-server-client.module';
import { OrderQueriesModule } from '@app/read-models/queries/order-queries.module';
import { CARD_MAPPING, NOTIFICATION_ADDRESSES, ORDER_AGENDA, ORDER_FACTS, PAYER_ADDRESSES, REQUEST_INDEX } from '@app/orders/orders.tokens';
import { CARD_REFERENCES } from '@app/recurring/recurring.tokens';
import { READ_MODEL } from '@app/read-models/read-models.tokens';
import { PayerPages } from '@app/orders/http';
import { GateAddresses } from './gates/gates.module';
import { SharedOrderAgenda } from './gates/order-agenda';
import { ProjectionSignal } from './monitoring/order-log';

/** Our key belongs to one order, but merchants may have given their orders the same name. The order's stream decides. */
const STREAMS_OF_KEY_MAX = 10;

/** Contexts do not import each other: every call between them passes a port of this list. */
@Global()
@Module({
  imports: [CardRegistrationModule, MerchantServerClientModule, OrderQueriesModule],
  providers: [
    provide(
      PayerPages,
      { configuration: CONFIGURATION },
      ({ configuration }) => new PayerPages(configuration.publicBaseUrl + configuration.pathPrefix),
    ),
    { provide: PAYER_ADDRESSES, useExisting: PayerPages },
    provide(
      NOTIFICATION_ADDRESSES,
      { configuration: CONFIGURATION },
      ({ configuration }) => new GateAddresses(configuration.publicBaseUrl + configuration.pathPrefix),
    ),
    provide(
      ORDER_AGENDA,
      { readModel: READ_MODEL, clock: CLOCK, news: ProjectionSignal },
      ({ readModel, clock, news }) => new SharedOrderAgenda(readModel.openWork(ORDER_WORK), clock, news),
    ),
    provide(REQUEST_INDEX, { readModel: READ_MODEL }, ({ readModel }) => ({
      streamsOf: (key, deadline) => readModel.search.streamsNamed(key, { limit: STREAMS_OF_KEY_MAX, ...(deadline && { deadline }) }),
    })),
    { provide: CARD_MAPPING, useExisting: MapCards },
    { provide: ORDER_FACTS, useExisting: CurrentOrderReader },
    provide(CARD_REFERENCES, { issued: IssuedReferences }, ({ issued }) => ({
      find: async (merchant, cardRefId, deadline) => {
        const found = await issued.find(merchant, cardRefId, deadline);
        if (found === undefined) return { kind: 'unknown' };
        if (found.use === 'destination') return { kind: 'destination' };
        const { card, customer, atGates } = found;
        return { kind: 'source', card, customer, atGates };
      },
    })),
    built(EndReference, EVENT_STORE),
    provide(
      StreamErasableData,
      { log: EVENT_STORE, readModel: READ_MODEL, vault: CARD_VAULT, clock: CLOCK },
      ({ vault, ...ports }) => new StreamErasableData({ ...ports, sealer: vault, digests: vault }),
    ),
    made(EraseOrder, {
      store: EVENT_STORE,
      erasableData: StreamErasableData,
      vault: CARD_VAULT,
      references: EndReference,
      clock: CLOCK,
      ids: IDS,
    }),
    provide(
      RetainOrder,
      { erasing: EraseOrder, erasableData: StreamErasableData, configuration: CONFIGURATION, clock: CLOCK },
      ({ configuration, ...ports }) => new RetainOrder({ ...ports, rules: configuration.retention }),
    ),
    provide(CALLBACK_FACTS, { callbacks: StreamCallbackFacts, notifications: StreamNotificationFacts }, ({ callbacks, notifications }) =>
      deliveryFacts(callbacks, notifications),
    ),
  ],
  exports: [
    PayerPages,
    PAYER_ADDRESSES,
    NOTIFICATION_ADDRESSES,
    ORDER_AGENDA,
    REQUEST_INDEX,
    CARD_MAPPING,
    ORDER_FACTS,
    CARD_REFERENCES,
    CALLBACK_FACTS,
    StreamErasableData,
    EraseOrder,
    RetainOrder,
    MerchantServerClientModule,
  ],
})
export class PortsModule {}
