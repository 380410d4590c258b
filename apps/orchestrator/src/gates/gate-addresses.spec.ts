import type { GateAlias } from '@app/kernel';
import type { StreamName } from '@app/event-store';
import { ATTEMPT_KEY } from '@app/testing';
import { decodePayerLink } from '@app/orders/http';
import { GateAddresses } from './gates.module';

it("a gate's notification URL encodes the order and the attempt key within 1,024 characters", () => {
  const stream = `payment-${'a'.repeat(52)}` as StreamName;
  const alias = 'a'.repeat(64) as GateAlias;
  const base = 'https://gateway.example/paynet';
  const url = new GateAddresses(base).notificationUrl(alias, stream, ATTEMPT_KEY);
  expect(url.startsWith(`${base}/gates/${alias}/`)).toBe(true);
  expect(decodePayerLink(url.split('/').at(-1) ?? '')).toEqual({ stream, key: ATTEMPT_KEY });
  // The longest callback address that a gateway of the interface accepts.
  expect(url.length).toBeLessThanOrEqual(1_024);
});
