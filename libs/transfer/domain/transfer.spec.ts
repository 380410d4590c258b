import type { ContentDigest, EndpointId } from '@app/kernel';
import { deviceOrderDecider, type AcceptedDeviceOrder, type AcceptDeviceOrder } from '@app/orders/domain';
import {
  ACCEPTED_AT,
  attemptEvents,
  BOOT_ID,
  deciderSpec,
  destinationReferred,
  deviceCommands,
  deviceEvents,
  devicePlan,
  processingCommands,
  sampleDeviceOrder,
  sampleDeviceRequest,
  servedOffer,
  sourceReferred,
  usd,
} from '@app/testing';
import type { AcceptedTransfer, TransferAccepted } from './transfer.events';

const { given } = deciderSpec(deviceOrderDecider<AcceptedTransfer>());
const { checked } = deviceEvents;

const accept = (data: Partial<AcceptDeviceOrder<AcceptedDeviceOrder>['data']> = {}): AcceptDeviceOrder<AcceptedDeviceOrder> => ({
  type: 'AcceptDeviceOrder',
  data: { order: sampleDeviceRequest(), operation: 'transfer', offer: servedOffer({ plan: devicePlan() }), now: ACCEPTED_AT, ...data },
});
const accepted = (data: Partial<AcceptedDeviceOrder> = {}): TransferAccepted => ({ type: 'OrderAccepted', data: sampleDeviceOrder(data) });
const byReference = () => {
  const { card: _card, destination: _destination, ...order } = sampleDeviceRequest();
  return order;
};

describe('an app’s sale or transfer', () => {
  it('is accepted once for each invoice with the app’s data and the terms of its endpoint', () => {
    given().when(accept()).then(accepted());
    given(accepted())
      .when(accept())
      .thenRejected({ reason: 'accepted-before', orderId: sampleDeviceOrder().orderId, endpointId: '1001' as EndpointId });
  });

  it('is accepted as a sale with the offered plan', () => {
    const plan = devicePlan({ operation: 'sale', cvvHolder: BOOT_ID });
    given()
      .when(accept({ operation: 'sale', offer: servedOffer({ plan }) }))
      .then(accepted({ plan }));
  });

  it('with different content under the same invoice is rejected each time [W374]', () => {
    const other = accept({ order: sampleDeviceRequest({ contentDigest: 'f00d' as ContentDigest }) });
    given(accepted()).when(other).thenRejected({ reason: 'client-orderid-reused' });
    given(accepted()).when(other).thenRejected({ reason: 'client-orderid-reused' });
  });

  it('is rejected for a refused offer and for an amount out of range', () => {
    given()
      .when(accept({ offer: { kind: 'refused', reason: 'operation-not-offered' } }))
      .thenRejected({ reason: 'operation-not-offered' });
    given()
      .when(accept({ order: sampleDeviceRequest({ amount: usd(0n) }) }))
      .thenRejected({ reason: 'amount-out-of-range' });
  });

  it('by reference has no cards before the check, and then the cards from the merchant server', () => {
    const { card: _card, destination: _destination, ...data } = sampleDeviceOrder();
    given()
      .when(accept({ order: byReference() }))
      .then({ type: 'OrderAccepted', data });
    const { state } = given({ type: 'OrderAccepted', data }, checked({ source: sourceReferred, destination: destinationReferred }));
    expect(state).toMatchObject({
      order: {
        card: sourceReferred.card,
        cardRefId: sourceReferred.cardRefId,
        destination: destinationReferred.card,
        destinationCardRefId: destinationReferred.cardRefId,
        customer: 'sealed-customer',
        details: 'sealed-details',
      },
    });
  });

  it('uses the customer and details from the merchant server [W398]', () => {
    const { state } = given(accepted(), checked({ customer: 'sealed-anew' as never, details: 'sealed-anew-too' as never }));
    expect(state).toMatchObject({ order: { ...sampleDeviceOrder(), customer: 'sealed-anew', details: 'sealed-anew-too' } });
    expect(state).not.toHaveProperty('order.cardRefId');
  });

  it('starts only after the acceptance and the check', () => {
    given().when(deviceCommands.recordCheck()).thenRejected({ reason: 'nothing-new' });
    given().when(processingCommands.start()).thenRejected({ reason: 'nothing-new' });
    given(accepted()).when(processingCommands.start()).thenRejected({ reason: 'not-checked' });
    given(accepted()).when(deviceCommands.recordCheck()).then(checked());
    given(accepted(), checked()).when(processingCommands.start()).then(attemptEvents.started());
  });

  it('throws if its history is impossible', () => {
    expect(() => given(accepted(), accepted())).toThrow('OrderAccepted twice');
    expect(() => given(checked())).toThrow('MerchantChecked before OrderAccepted');
  });
});
