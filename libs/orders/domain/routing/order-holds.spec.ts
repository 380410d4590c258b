import type { Instant, MerchantLogin, Sealed } from '@app/kernel';
import { deciderSpec } from '@app/testing';
import { orderHolds, type HoldCommand, type HoldEvent, type HoldTarget } from './order-holds';

const { given } = deciderSpec(orderHolds);
const NOW = 1_704_067_200_000 as Instant;
const reason = 'sealed' as Sealed;
const GATE: HoldTarget = { kind: 'gate', id: '1001' };
const ENDPOINT: HoldTarget = { kind: 'endpoint', id: '1001', merchant: 'acme' as MerchantLogin };
const hold = (target: HoldTarget): HoldCommand => ({ type: 'HoldNewOrders', data: { ...target, reason, now: NOW } });
const release = (target: HoldTarget): HoldCommand => ({ type: 'ReleaseNewOrders', data: { ...target, reason, now: NOW } });
const held = (target: HoldTarget): HoldEvent => ({ type: 'NewOrdersHeld', data: { ...target, reason, heldAt: NOW } });
const released = (target: HoldTarget): HoldEvent => ({ type: 'NewOrdersReleased', data: { ...target, reason, releasedAt: NOW } });

describe('orderHolds', () => {
  it('holds and releases a target once, and again after its release', () => {
    given().when(hold(GATE)).then(held(GATE));
    given(held(GATE)).when(hold(GATE)).thenRejected({ reason: 'held-before' });
    given(held(GATE)).when(release(GATE)).then(released(GATE));
    given(held(GATE), released(GATE)).when(release(GATE)).thenRejected({ reason: 'not-held' });
    given(held(GATE), released(GATE)).when(hold(GATE)).then(held(GATE));
  });

  it('keeps a gate and an entry point with the same name apart', () => {
    given(held(GATE)).when(hold(ENDPOINT)).then(held(ENDPOINT));
    given(held(GATE)).when(release(ENDPOINT)).thenRejected({ reason: 'not-held' });
    expect([...given(held(GATE), held(ENDPOINT), released(GATE)).state.values()]).toStrictEqual([held(ENDPOINT).data]);
  });
});
