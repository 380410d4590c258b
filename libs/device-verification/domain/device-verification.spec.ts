import type { ContentDigest, EndpointId } from '@app/kernel';
import { deviceOrderDecider, type AcceptDeviceOrder } from '@app/orders/domain';
import {
  ACCEPTED_AT,
  attemptEvents,
  deciderSpec,
  deviceCommands,
  deviceEvents,
  devicePlan,
  processingCommands,
  sampleCard,
  sampleDeviceOrder,
  sampleDeviceRequest,
  sampleGate,
  servedOffer,
  usd,
} from '@app/testing';
import type { AcceptedDeviceVerification, DeviceVerificationAccepted } from './device-verification.events';

const { given } = deciderSpec(deviceOrderDecider<AcceptedDeviceVerification>());
const plan = devicePlan({ operation: 'account-verification', gates: [sampleGate()] });

const requested = (contentDigest = sampleDeviceRequest().contentDigest) => {
  const { destination: _destination, ...order } = sampleDeviceRequest({ amount: usd(0n), contentDigest });
  return { ...order, card: sampleCard() };
};
const accept = (
  data: Partial<AcceptDeviceOrder<AcceptedDeviceVerification>['data']> = {},
): AcceptDeviceOrder<AcceptedDeviceVerification> => ({
  type: 'AcceptDeviceOrder',
  data: { order: requested(), operation: 'account-verification', offer: servedOffer({ plan }), now: ACCEPTED_AT, ...data },
});
const { endpointId, acceptedAt } = sampleDeviceOrder();
const accepted: DeviceVerificationAccepted = { type: 'OrderAccepted', data: { ...requested(), endpointId, plan, acceptedAt } };

describe('a card verification requested by an app', () => {
  it('is accepted once per invoice, without an amount', () => {
    given().when(accept()).then(accepted);
    given(accepted)
      .when(accept())
      .thenRejected({ reason: 'accepted-before', orderId: accepted.data.orderId, endpointId: '1001' as EndpointId });
  });

  it('is refused with different content under the same invoice [W374]', () => {
    given(accepted)
      .when(accept({ order: requested('f00d' as ContentDigest) }))
      .thenRejected({ reason: 'client-orderid-reused' });
  });

  it('is refused if its endpoint does not serve it', () => {
    given()
      .when(accept({ offer: { kind: 'refused', reason: 'currency-not-served' } }))
      .thenRejected({ reason: 'currency-not-served' });
  });

  it('starts no gate attempt before the merchant server confirmed it', () => {
    given().when(deviceCommands.recordCheck()).thenRejected({ reason: 'nothing-new' });
    const start = processingCommands.start({ amount: usd(0n) });
    given(accepted).when(start).thenRejected({ reason: 'not-checked' });
    given(accepted, deviceEvents.checked())
      .when(start)
      .then(attemptEvents.started({ amount: usd(0n) }));
  });
});
