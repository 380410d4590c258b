import type { MerchantLogin } from '@app/kernel';
import { StoreUnavailable, type NewEvent, type StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { WithholdingStore } from '@app/event-store/stores';
import { chainedEvents, collect } from '@app/event-store/testing';
import { VirtualClock } from '@app/testing';
import { withheldEvents } from './withheld-events';

const withheld = (...logins: readonly string[]) => withheldEvents(new Set(logins as MerchantLogin[]));
const stream = 'payment-1' as StreamName;

it('where no merchant is suspended, no event is looked at', () => {
  expect(withheld()).toBeUndefined();
});

it('of a suspended merchant nothing is written, all is read, and others go on', async () => {
  const memory = new MemoryEventStore(new VirtualClock());
  // The sample's merchant is acme.
  const { events } = chainedEvents(stream, 'no_stream', 1, 'request', 'content');
  const log = new WithholdingStore(memory, withheld('acme') ?? (() => undefined));
  await expect(log.append(stream, 'no_stream', events)).rejects.toThrow(
    new StoreUnavailable('payment-1 is not written: acme is suspended in this cell'),
  );
  await expect(collect(log.read(stream))).resolves.toStrictEqual([]);
  await memory.append(stream, 'no_stream', events);
  await expect(collect(log.read(stream))).resolves.toHaveLength(1);
  const others = new WithholdingStore(memory, withheld('other') ?? (() => undefined));
  const more = chainedEvents('payment-2' as StreamName, 'no_stream', 1, 'request', 'content').events;
  await expect(others.append('payment-2' as StreamName, 'no_stream', more)).resolves.toMatchObject({ kind: 'appended' });
});

it.each([
  ['an order', 'payment-1', true],
  ['a callback', 'delivery-1', true],
  ['a nonce', 'once-oauth.1', true],
  ['a case of reconciliation that tells of its order', 'reconciliation-1', false],
  ['what an operator did', 'operator-1', false],
  ['rules', 'screening-1', false],
])('%s of a suspended merchant: %s, withheld %s', (_what, name, isWithheld) => {
  const event = { metadata: '{"merchant":"acme"}' } as NewEvent;
  expect(withheld('acme')?.(name as StreamName, event) !== undefined).toBe(isWithheld);
});
