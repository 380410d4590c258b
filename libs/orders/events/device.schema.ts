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
    meaning: 'The merchant server confirmed the app’s request and resolved its card references. No gate is called before this event.',
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
    meaning: 'The merchant server did not confirm the app’s request, contradicted it, or could not be reached. The order fails.',
    schema: f.object<DataOf<'MerchantCheckFailed'>>({ cause: f.oneOf(...CHECK_FAILURES), failedAt: f.instant() }),
  },
  FeesOffered: {
    version: 1,
    meaning: 'The consumer was offered each gate’s commission. Processing pauses until the choice.',
    schema: f.object<DataOf<'FeesOffered'>>({
      offers: f.list<DataOf<'FeesOffered'>['offers']>(f.object<FeeOffer>({ gate: gateAlias(), commission: f.money() })),
      choiceDueAt: f.instant(),
      offeredAt: f.instant(),
    }),
  },
  FeeChosen: {
    version: 1,
    meaning: 'The consumer chose an offer. The choice is final, and only this gate processes the order.',
    schema: f.object<DataOf<'FeeChosen'>>({ gate: gateAlias(), commission: f.money(), chosenAt: f.instant() }),
  },
  GateFeesOffered: {
    version: 1,
    meaning: 'The gate offered fees, and waits for the consumer’s choice before it moves money.',
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
      'The consumer chose one of the gate’s fees. The choice is final. The process that stored it then sends it to the gate at most once.',
    schema: f.object<DataOf<'GateFeeChosen'>>({ attemptKey: attemptKey(), option: f.id(), commission: f.money(), chosenAt: f.instant() }),
  },
  CommissionDiffered: {
    version: 1,
    meaning: 'The gate charged another commission than the consumer chose. The event raises an alarm and changes nothing.',
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
      'The cards of an approved order have references. The fields show whether the merchant server was notified, will be notified, or takes no notifications.',
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
