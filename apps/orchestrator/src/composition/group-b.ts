import { systemClock, systemRandom, systemScheduler, type BootId } from '@app/kernel';
import type { IssuedReferences } from '@app/card-registration';
import type { CardUidNumbers, CardVault, OrderSealer, ServiceDigests } from '@app/card-vault';
import { openEgress, type Egress, type EgressPolicy } from '@app/egress';
import type { EventStore } from '@app/event-store';
import type { Gates } from '@app/gateway-adapters/contract';
import type { Configuration } from '@app/configuration';
import { SUBMITS_PER_LANE_MAX, UNDER_WAY_PER_MERCHANT_MAX, type MerchantServer, type OrderContexts } from '@app/order-processing';
import { CompleteTransferEndpoint, type ChoosesFees } from '../group-b/complete-transfer.endpoint';
import type { DeviceEndpoints } from '../group-b/device-routes';
import { AnsweredCards } from '@app/merchant-server-client';
import { OrderMerchantServer } from '@app/merchant-server-client';
import { DeviceOrders } from '../group-b/order-status/device-orders';
import { StatusEndpoint } from '../group-b/order-status/status.endpoint';
import {
  PERFORM_SALE,
  PERFORM_TRANSFER,
  PERFORM_VERIFICATION,
  PerformEndpoint,
  type TakesDeviceOrders,
} from '../group-b/perform/perform.endpoint';
import type { PayerPages } from '../payer/payer-pages';
import type { KeysOfUnknownMerchants } from '../request/unknown-merchants/keys-of-unknown-merchants';
import { ORDERS_WORKED_PER_LANE_MAX } from './workers';

/** First gates of one merchant's orders that are busy at one moment, so that the calls of each have a place. */
const BUSY_LANES = 2;
/** Merchant servers that hang at one moment, each with all its calls, while every other is still called. */
const HANGING_SERVERS = 16;
/** What one merchant's orders may ask and tell at one moment: a call that finds no place would look as if its server were away. */
const CALLS_PER_SERVER_MAX = BUSY_LANES * (SUBMITS_PER_LANE_MAX + ORDERS_WORKED_PER_LANE_MAX) + UNDER_WAY_PER_MERCHANT_MAX;

/** Of their own: callbacks that pile up before a merchant's server take no place of its checks. */
export const merchantServerEgress = (policy: EgressPolicy): Egress =>
  openEgress({
    policy,
    scheduler: systemScheduler,
    limits: { perOriginMax: CALLS_PER_SERVER_MAX, inAllMax: HANGING_SERVERS * CALLS_PER_SERVER_MAX },
  });

export interface MerchantServerParts {
  readonly configuration: Pick<Configuration, 'accounts' | 'groupB'>;
  readonly egress: Pick<Egress, 'send'>;
  readonly references: IssuedReferences;
  readonly vault: CardVault & OrderSealer & CardUidNumbers;
}

/** Whom order-processing asks before a gate, and tells of cards. */
export const merchantServer = ({ configuration, egress, references, vault }: MerchantServerParts): MerchantServer =>
  new OrderMerchantServer({
    accounts: configuration.accounts,
    egress,
    cards: new AnsweredCards(references, vault),
    vault,
    notificationWaitMs: configuration.groupB.notificationWaitMs,
    clock: systemClock,
    random: systemRandom,
  });

export interface GroupBParts {
  readonly configuration: Pick<Configuration, 'accounts' | 'groupB' | 'threeDSecure'>;
  readonly nobody: KeysOfUnknownMerchants;
  readonly store: EventStore;
  readonly digests: ServiceDigests;
  readonly gates: Gates;
  readonly pages: PayerPages;
  readonly bootId: BootId;
  readonly contexts: OrderContexts;
  readonly fees: ChoosesFees;
  readonly verifications: TakesDeviceOrders;
  readonly transfers: TakesDeviceOrders;
  readonly onAmbiguousSignature: () => void;
}

/** Every operation of Group B over the contexts that it translates for. */
export const groupBEndpoints = (parts: GroupBParts): DeviceEndpoints => {
  const { configuration, nobody, store, digests, gates, pages, bootId, contexts, fees, onAmbiguousSignature } = parts;
  const { accounts, groupB, threeDSecure } = configuration;
  const { payerMs } = threeDSecure;
  const { feeChoiceMs } = groupB;
  const orders = new DeviceOrders(store, digests);
  const perform = { accounts, nobody, gates, digests, bootId, payerMs, feeChoiceMs, onAmbiguousSignature };
  const transfers = { ...perform, handler: parts.transfers };
  const status = { accounts, orders, pages };
  return {
    perform: {
      verification: new PerformEndpoint(PERFORM_VERIFICATION, { ...perform, handler: parts.verifications }),
      sale: new PerformEndpoint(PERFORM_SALE, transfers),
      transfer: new PerformEndpoint(PERFORM_TRANSFER, transfers),
    },
    status: {
      verification: new StatusEndpoint('verification', status),
      sale: new StatusEndpoint('sale', status),
      transfer: new StatusEndpoint('transfer', status),
    },
    completeTransfer: new CompleteTransferEndpoint({ accounts, orders, contexts, fees }),
  };
};
