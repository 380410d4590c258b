import { f, type EventType } from '@app/event-store';
import {
  CHECK_FAILURES,
  type DeviceEvent,
  type DeviceOrderEvent,
  type FeeOffer,
  type GateFee,
  type MappedCard,
  type ReferredCard,
  type ReceivingCard,
} from '../domain';
import { attemptKey, gateAlias } from './order-fields';
import { orderCard, processingEventTypes, receivingCard } from './order.schema';

type DataOf<Type extends DeviceEvent['type']> = Extract<DeviceEvent, { readonly type: Type }>['data'];

const mappedCard = () => f.object<MappedCard>({ cardRefId: f.id<MappedCard['cardRefId']>(), uid: f.id<MappedCard['uid']>() });
const cardRefId = () => f.id<ReferredCard['cardRefId']>();

const deviceEventTypes = (): { readonly [Type in DeviceEvent['type']]: EventType<DataOf<Type>> } => ({
  MerchantChecked: {
    version: 1,
    meaning: 'The merchant server confirmed what the app sent, and named the cards that were given by reference; no gate is asked before.',
    schema: f.object<DataOf<'MerchantChecked'>>({
      source: f.optional(f.object<ReferredCard>({ cardRefId: cardRefId(), card: orderCard() })),
      destination: f.optional(f.object<ReferredCard<ReceivingCard>>({ cardRefId: cardRefId(), card: receivingCard() })),
      customer: f.optional(f.sealed()),
      details: f.optional(f.sealed()),
      randomSum: f.optional(f.oneOf('AUTHENTICATED', 'NOT_AUTHENTICATED')),
      feeAskedBy: f.optional(gateAlias()),
      checkedAt: f.instant(),
    }),
  },
  MerchantCheckFailed: {
    version: 1,
    meaning: 'The merchant server did not confirm what the app sent, contradicted it, or could not be reached: the order ends with it.',
    schema: f.object<DataOf<'MerchantCheckFailed'>>({ cause: f.oneOf(...CHECK_FAILURES), failedAt: f.instant() }),
  },
  FeesOffered: {
    version: 1,
    meaning: 'Processing pauses: the commission of each gate, among which the consumer chooses.',
    schema: f.object<DataOf<'FeesOffered'>>({
      offers: f.list<DataOf<'FeesOffered'>['offers']>(f.object<FeeOffer>({ gate: gateAlias(), commission: f.money() })),
      choiceDueAt: f.instant(),
      offeredAt: f.instant(),
    }),
  },
  FeeChosen: {
    version: 1,
    meaning: 'The consumer chose one of the offers, once; the order goes on at this gate and no other.',
    schema: f.object<DataOf<'FeeChosen'>>({ gate: gateAlias(), commission: f.money(), chosenAt: f.instant() }),
  },
  GateFeesOffered: {
    version: 1,
    meaning: 'The gate waits for the consumer to choose among fees of its own; until then it moves no money.',
    schema: f.object<DataOf<'GateFeesOffered'>>({
      attemptKey: attemptKey(),
      offers: f.list<DataOf<'GateFeesOffered'>['offers']>(f.object<GateFee>({ option: f.id(), commission: f.money() })),
      session: f.sealed(),
      choiceDueAt: f.instant(),
      offeredAt: f.instant(),
    }),
  },
  GateFeeChosen: {
    version: 1,
    meaning:
      'The consumer chose one of the gate’s fees, once; recorded before the gate is told, and who recorded it tells the gate at most once.',
    schema: f.object<DataOf<'GateFeeChosen'>>({ attemptKey: attemptKey(), option: f.id(), commission: f.money(), chosenAt: f.instant() }),
  },
  CommissionDiffered: {
    version: 1,
    meaning: 'The gate withheld another commission than the one that the consumer chose: recorded and alarmed, and it changes nothing.',
    schema: f.object<DataOf<'CommissionDiffered'>>({
      attemptKey: attemptKey(),
      offered: f.money(),
      held: f.money(),
      heardAt: f.instant(),
    }),
  },
  CardsMapped: {
    version: 1,
    meaning:
      'The cards of an approved order have references, and the merchant server was notified, will be notified later, or takes no notifications.',
    schema: f.object<DataOf<'CardsMapped'>>({
      source: mappedCard(),
      destination: f.optional(mappedCard()),
      isAcknowledged: f.bool(),
      isNotificationOff: f.optional(f.bool()),
      mappedAt: f.instant(),
    }),
  },
});

export const deviceOrderEventTypes = (): {
  readonly [Type in DeviceOrderEvent['type']]: EventType<Extract<DeviceOrderEvent, { readonly type: Type }>['data']>;
} => ({ ...processingEventTypes(), ...deviceEventTypes() });
