import type { DeliveryEvent } from '@app/callbacks/events';
import { streamName, type EventId } from '@app/event-store';
import { addMs, type Sealed } from '@app/kernel';
import { CannotApply } from '../engine/faults';
import type { LogEvent } from '../engine/log-event';
import { ACME, START } from '../testing/sample-orders';
import { foldDelivery } from './delivery.fold';
import type { DeliveryView } from './delivery.view';

const identity = { factId: 'fact' as EventId, target: 'notify', orderStream: streamName('payment', ACME, '1') } as const;
const delivered: DeliveryEvent = { type: 'CallbackDelivered', data: { ...identity, tries: 1, status: 200, deliveredAt: START } };
const resend: DeliveryEvent = {
  type: 'CallbackResendRequested',
  data: { ...identity, reason: 'sealed' as Sealed, requestedAt: addMs(START, 1) },
};

const fold = (...events: readonly DeliveryEvent[]): DeliveryView | undefined =>
  events.reduce<DeliveryView | undefined>(
    (view, event) => foldDelivery(view, { event, metadata: { merchant: ACME } } as unknown as LogEvent<DeliveryEvent>),
    undefined,
  );

describe('foldDelivery', () => {
  it('keeps the last answer of a delivered callback that is sent again', () => {
    expect(fold(delivered, resend)).toMatchObject({
      status: 'waiting',
      tries: 1,
      httpStatus: 200,
      since: START,
      nextTryAt: addMs(START, 1),
    });
  });

  it('refuses an attempt after the delivery, unless an operator requested it', () => {
    expect(() => fold(delivered, delivered)).toThrow(CannotApply);
    expect(fold(delivered, resend, delivered)).toMatchObject({ status: 'delivered' });
  });
});
