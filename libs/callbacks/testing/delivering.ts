import { ReactorRunner, type EventStore, type ReactorRunnerSettings } from '@app/event-store';
import type { Clock, Scheduler } from '@app/kernel';
import { DeliverCallbackReactor, type DeliverCallbackPorts } from '../deliveries/deliver-callback.reactor';
import { deliveryWork } from '../deliveries/delivery-work';
import { DeliveriesInMemory } from './deliveries-in-memory';
import type { NotifiedOrder } from './notified-orders';

export const startDelivering = (
  orders: readonly NotifiedOrder[],
  log: EventStore,
  clock: Clock & Scheduler,
  ports: Omit<DeliverCallbackPorts, 'clock'>,
  limits: Pick<ReactorRunnerSettings, 'inFlightMax' | 'inFlightPerLaneMax'> = {},
) => {
  const work = new DeliveriesInMemory();
  const reactor = new DeliverCallbackReactor({ ...ports, clock });
  const errors: Error[] = [];
  const runner = new ReactorRunner({
    work,
    clock,
    scheduler: clock,
    run: (item) => reactor.on(item),
    onError: (error) => errors.push(error),
    ...limits,
  });
  for (const { factId, stream, fact } of orders) {
    const event = { type: 'OrderDeclined', data: { code: 100, callbacks: ['callback'], declinedAt: clock.now() } } as const;
    work.apply(deliveryWork({ stream, id: factId, event, metadata: { merchant: fact.merchant, recordedAt: clock.now() } }));
  }
  const unfollow = work.follow(log, () => runner.wake());
  runner.start();
  return {
    work,
    errors,
    stop: async () => {
      runner.stop();
      await unfollow();
    },
  };
};
