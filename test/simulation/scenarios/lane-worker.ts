import { metadataOf, ReactorRunner, type WorkItem } from '@app/event-store';
import { MemoryOpenWork } from '@app/event-store/testing';
import { orderWork, OVERDUE_PER_LANE_MAX } from '@app/orders';
import { paymentCodec } from '@app/payment';
import type { OrderProcess, OrderScenario } from './order-scenario';

export class LaneWorker {
  readonly work = new MemoryOpenWork();
  readonly errors: Error[] = [];
  inFlightMax = 0;
  readonly #runner: ReactorRunner;
  readonly #stop: () => Promise<void>;

  constructor({ clock, store }: OrderScenario, { workOrder, underWay }: OrderProcess, onRun: (item: WorkItem) => void = () => undefined) {
    const { work } = this;
    const runner: ReactorRunner = new ReactorRunner({
      work,
      clock,
      scheduler: clock,
      inFlightPerLaneMax: OVERDUE_PER_LANE_MAX,
      busyElsewhere: (lane) => underWay.overdueIn(lane),
      onError: (error) => this.errors.push(error),
      run: (item) => {
        onRun(item);
        this.inFlightMax = Math.max(this.inFlightMax, runner.inFlight);
        return workOrder.work(item.stream);
      },
    });
    underWay.listen(() => runner.wake());
    const subscription = store.subscribe(['payment'], 'start');
    const following = (async () => {
      for await (const item of subscription) {
        if (item.kind !== 'event') continue;
        const { event: stored } = item;
        work.apply(orderWork({ stream: stored.stream, metadata: metadataOf(stored), event: paymentCodec.decode(stored) }));
        runner.wake();
      }
    })();
    this.#stop = async () => {
      runner.stop();
      await subscription.cancel();
      await following;
    };
    this.#runner = runner;
    runner.start();
  }

  get roomMax(): number {
    return this.#runner.inFlightMax;
  }

  stop(): Promise<void> {
    return this.#stop();
  }
}
