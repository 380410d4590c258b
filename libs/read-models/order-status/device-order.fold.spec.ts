import type { Sealed } from '@app/kernel';
import type { EventId, Position, Revision, StreamName } from '@app/event-store';
import {
  attemptEvents,
  CONCLUDED_AT,
  destinationReferred,
  deviceEvents,
  devicePlan,
  DESTINATION_REF,
  finalEvents,
  RANDOM_SUM,
  sampleCard,
  sampleDeviceOrder,
  sampleReceipt,
  sampleReceivingCard,
  SOURCE_REF,
  sourceReferred,
  usd,
} from '@app/testing';
import type { LogEvent } from '../engine/log-event';
import { foldOrderStatus, type OrderEvent } from './order-status.fold';
import type { OrderStatusView } from './order-status.view';

const { checked, checkFailed, feesOffered, feeChosen, commissionDiffered, cardsMapped } = deviceEvents;

const newsOf = (event: OrderEvent, index: number): LogEvent<OrderEvent> => ({
  stream: 'transfer-x' as StreamName,
  category: 'transfer',
  position: String(index) as Position,
  revision: BigInt(index) as Revision,
  id: `event-${index}` as EventId,
  event,
  metadata: { correlation: `serial-${index}` } as LogEvent['metadata'],
});
const fold = (...events: readonly OrderEvent[]): OrderStatusView => {
  let view: OrderStatusView | undefined;
  for (const [index, event] of events.entries()) view = foldOrderStatus(view, newsOf(event, index));
  if (view === undefined) throw new Error('no event');
  return view;
};

const accepted: OrderEvent = { type: 'OrderAccepted', data: sampleDeviceOrder() };
const { card: _card, destination: _destination, ...byReference } = sampleDeviceOrder();
const acceptedByReference: OrderEvent = { type: 'OrderAccepted', data: byReference };

describe('foldOrderStatus of a device order', () => {
  it('starts like every order, with its two cards', () => {
    expect(fold(accepted)).toMatchObject({
      kind: 'transfer',
      operation: 'transfer',
      transactionType: 'transfer',
      stage: 'transfer_starting',
      card: sampleCard(),
      destination: sampleReceivingCard(),
      cardRefId: null,
      commissionMinor: null,
      randomSum: null,
    });
  });

  it('has no card after acceptance by card reference, until the merchant server returns the card', () => {
    expect(fold(acceptedByReference)).toMatchObject({ card: null, destination: null, cardRefId: null });
    expect(fold(acceptedByReference, checked({ source: sourceReferred, destination: destinationReferred }))).toMatchObject({
      card: sourceReferred.card,
      cardRefId: SOURCE_REF,
      destination: destinationReferred.card,
    });
    expect(destinationReferred.cardRefId).toBe(DESTINATION_REF);
  });

  it('takes the fields that the merchant server filled in and keeps all others', () => {
    const filled = checked({ customer: 'sealed-anew' as Sealed, details: 'sealed-anew-too' as Sealed, randomSum: 'NOT_AUTHENTICATED' });
    expect(fold(accepted, filled)).toMatchObject({
      customer: 'sealed-anew',
      details: 'sealed-anew-too',
      randomSum: 'NOT_AUTHENTICATED',
      card: sampleCard(),
    });
    expect(fold(accepted, checked())).toStrictEqual(fold(accepted));
  });

  it('passes through the stages of every order, and is approved once its cards are mapped', () => {
    const plan = devicePlan({ operation: 'account-verification' });
    const lived: OrderEvent[] = [
      { type: 'OrderAccepted', data: sampleDeviceOrder({ plan }) },
      checked(),
      attemptEvents.started(),
      attemptEvents.approved({ receipt: sampleReceipt({ randomSum: RANDOM_SUM }) }),
      cardsMapped(),
      finalEvents.approved({ approvedAt: CONCLUDED_AT }),
    ];
    const stages = lived.map((_, index) => fold(...lived.slice(0, index + 1)).stage);
    expect(stages).toStrictEqual(['av_starting', 'av_starting', 'av_filtering', 'av_processing', 'av_processing', 'av_approved']);
    expect(fold(...lived.slice(0, 4)).mapped).toBeNull();
    expect(fold(...lived).mapped).toStrictEqual({ source: SOURCE_REF, destination: DESTINATION_REF });
    const { receipt, status, finalAt } = fold(...lived);
    // The random sum must not be readable.
    expect({ receipt, status, finalAt }).toStrictEqual({ receipt: sampleReceipt(), status: 'approved', finalAt: CONCLUDED_AT });
  });

  it('ends if the merchant check fails', () => {
    expect(fold(accepted, checkFailed({ cause: 'filtered' }), finalEvents.filtered())).toMatchObject({ status: 'filtered', code: 120 });
    expect(fold(accepted, checkFailed(), finalEvents.failed({ code: 121 }))).toMatchObject({ status: 'error', code: 121 });
  });

  it('shows the agreed commission, then the commission that the gate held, and counts a difference as a conflict [W125]', () => {
    const choosing = [accepted, checked(), feesOffered()] as const;
    expect(fold(...choosing).commissionMinor).toBeNull();
    expect(fold(...choosing, feeChosen()).commissionMinor).toBe('200');
    const atGate = [...choosing, feeChosen(), attemptEvents.started({ gate: feeChosen().data.gate })] as const;
    expect(fold(...atGate, attemptEvents.approved())).toMatchObject({ commissionMinor: '200', conflicts: 0 });
    const receipt = sampleReceipt({ commission: usd(201n) });
    expect(fold(...atGate, attemptEvents.approved({ receipt }), commissionDiffered())).toMatchObject({
      commissionMinor: '201',
      conflicts: 1,
      receipt: sampleReceipt(),
    });
  });

  it('is serialisable as JSON after every event', () => {
    const receipt = sampleReceipt({ commission: usd(200n) });
    const lived = [
      accepted,
      checked(),
      attemptEvents.started(),
      attemptEvents.approved({ receipt }),
      cardsMapped(),
      finalEvents.approved(),
    ];
    for (const [index] of lived.entries()) {
      const view = fold(...lived.slice(0, index + 1));
      expect(JSON.parse(JSON.stringify(view))).toStrictEqual(view);
    }
  });
});
