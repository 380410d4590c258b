import { Registry } from 'prom-client';
import type { StreamName } from '@app/event-store';
import type { ParkedStream } from '@app/read-models';
import { VirtualClock } from '@app/testing';
import { watchParked } from './live-figures';

const row = (stream: string, projection: string, error: string): ParkedStream => ({
  stream: stream as StreamName,
  projection,
  revision: 2,
  eventId: 'an-event',
  error,
  parkedAt: new VirtualClock().now(),
});
const figuresOf = async (parked: () => Promise<readonly ParkedStream[]>): Promise<readonly string[]> => {
  const registry = new Registry();
  watchParked(registry, { scheduler: new VirtualClock(), parked });
  const page = await registry.metrics();
  return page.split('\n').filter((line) => line.startsWith('orchestrator_'));
};
const lines = (broken: number, unreadable: number, notApplied: number): readonly string[] => [
  `orchestrator_projection_parked_streams{cause="chain-broken"} ${broken}`,
  `orchestrator_projection_parked_streams{cause="event-unreadable"} ${unreadable}`,
  `orchestrator_projection_parked_streams{cause="not-applied"} ${notApplied}`,
];

it('counts a stream once by its cause if several projections parked it', async () => {
  const rows = [
    row('payment-a', 'order-status', 'BrokenChain: payment-a revision 2: it does not follow from the event before it'),
    row('payment-a', 'order-search', 'BrokenChain: payment-a revision 2: it does not follow from the event before it'),
    row('payment-b', 'order-status', 'UndecodableEvent: payment-b revision 2: unknown type'),
    row('payment-c', 'open-work:orders', 'TypeError'),
    row('payment-d', 'order-status', 'CannotApply: AttemptStarted before OrderAccepted'),
  ];
  expect(await figuresOf(() => Promise.resolve(rows))).toStrictEqual(lines(1, 1, 2));
});

it('reports 0 for each cause if the table is empty', async () => {
  expect(await figuresOf(() => Promise.resolve([]))).toStrictEqual(lines(0, 0, 0));
});

it('reports nothing if the read models fail', async () => {
  expect(await figuresOf(() => Promise.reject(new Error('away')))).toStrictEqual([]);
});
