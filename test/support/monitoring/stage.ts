import type { Metric, Registry } from 'prom-client';
import type { LogProofsHealth } from '@app/investigation';
import { watchProgram } from '@app/http/server';
import { addMs, type GateAlias } from '@app/kernel';
import type { GateCircuitState } from '@app/orders';
import type { OpenCases, OpenCount, ParkedStream } from '@app/read-models';
import { VirtualClock } from '@app/testing';
import { MerchantMetrics } from '../../../apps/merchant-server/src/merchant-metrics';
import { watchCases, watchConfiguration, watchDisk, watchParked } from '../../../apps/orchestrator/src/monitoring/metrics/live-figures';
import { ServiceMetrics, type ServiceState } from '../../../apps/orchestrator/src/monitoring/service-metrics';
import { ScrapedSeries, type Labels, type Sample } from './promql';

/** As in `deploy/prometheus/prometheus.yml`; rules are evaluated at the same interval. */
const SCRAPE_GAP_MS = 15_000;
const BUILD = { version: '0', revision: '0' };
export const GATE = 'sim-a' as GateAlias;
export const MERCHANT = 'shop';
export const OTHER_MERCHANT = 'another-shop';

interface Named extends Sample {
  readonly name: string;
}
interface Printed {
  readonly name: string;
  readonly type: string;
  readonly values: readonly { readonly value: number; readonly labels: Labels; readonly metricName?: string }[];
}

const isOfMachine = (name: string): boolean => /^(?:nodejs|process)_/.test(name);

export const labelNamesOf = (registry: Registry): readonly string[] =>
  registry.getMetricsAsArray().flatMap((metric) => (metric as unknown as Metric & { readonly labelNames: readonly string[] }).labelNames);

export class Stage {
  readonly clock = new VirtualClock();
  readonly series = new ScrapedSeries();
  readonly service = new ServiceMetrics({ clock: this.clock, monotonic: this.clock, scheduler: this.clock });
  readonly merchant = new MerchantMetrics();
  readonly registries: readonly Registry[] = [this.service.registry, this.merchant.registry];
  state: ServiceState = { cvvHeld: 0, cvvHeldMax: 100, workInFlight: 1, workInFlightMax: 100, projectionBehindMs: 0 };
  openCounts: Readonly<Record<'unknown_orders' | 'callbacks_waiting', OpenCount>> | undefined = {
    unknown_orders: { count: 0, oldestAt: undefined },
    callbacks_waiting: { count: 0, oldestAt: undefined },
  };
  logProofs: LogProofsHealth = {
    treeSize: 10,
    checkpoint: { size: 10, madeAt: 0 },
    isSigning: true,
    waitingSince: undefined,
    fault: undefined,
  };
  cases: readonly OpenCases[] = [];
  circuits: readonly GateCircuitState[] = [{ gate: GATE, state: 'closed', calls: 0, failures: 0 }];
  parked: readonly ParkedStream[] = [];
  disk = { freeBytes: 60e9, sizeBytes: 100e9 };
  linesLost = 0;
  isUp = true;
  isCallbackAddressDead = false;
  gate: { readonly outcome: string; readonly seconds: number } = { outcome: 'approved', seconds: 0.4 };
  readonly #written = new Map<string, Named>();

  /**
   * @param scraped names of the metrics to read; reading all takes a hundred times as long
   */
  constructor(private readonly scraped?: ReadonlySet<string>) {
    const { service, clock } = this;
    const openCount = (name: 'unknown_orders' | 'callbacks_waiting') => ({
      name,
      help: name,
      count: () => (this.openCounts === undefined ? Promise.reject(new Error('away')) : Promise.resolve(this.openCounts[name])),
    });
    service.watch(() => this.state, [openCount('unknown_orders'), openCount('callbacks_waiting')]);
    service.startAtZero([GATE], [MERCHANT, OTHER_MERCHANT]);
    watchDisk(service.registry, () => Promise.resolve(this.disk));
    watchParked(service.registry, { scheduler: clock, parked: () => Promise.resolve(this.parked) });
    service.gates.watchCircuits(service.registry, () => this.circuits);
    service.gates.watchHolds(service.registry, () => []);
    watchConfiguration(service.registry, { digest: 'of the file', differs: false });
    service.logProofs.watch(service.registry, clock, () => this.logProofs);
    watchCases(service.registry, { clock, scheduler: clock, open: () => Promise.resolve(this.cases) });
    const log = (stage: Stage) => ({
      get linesLost() {
        return stage.linesLost;
      },
    });
    watchProgram(service.registry, { prefix: 'orchestrator', build: BUILD, log: log(this) });
    watchProgram(this.merchant.registry, { prefix: 'merchant_server', build: BUILD, log: { linesLost: 0 } });
  }

  write(name: string, value: number, labels: Labels = {}): void {
    const metric = this.service.registry.getSingleMetric(name) as (Metric & { readonly labelNames: readonly string[] }) | undefined;
    if (metric === undefined) throw new Error(`the orchestrator prints no ${name}`);
    for (const label of Object.keys(labels)) if (!metric.labelNames.includes(label)) throw new Error(`${name} has no label ${label}`);
    this.#written.set(JSON.stringify([name, labels]), { name, labels, value });
  }

  is(state: Partial<ServiceState>): void {
    this.state = { ...this.state, ...state };
  }

  proofs(health: Partial<LogProofsHealth>): void {
    this.logProofs = { ...this.logProofs, ...health };
  }

  open(name: 'unknown_orders' | 'callbacks_waiting', count: number, ageSeconds: number): void {
    if (this.openCounts !== undefined)
      this.openCounts = { ...this.openCounts, [name]: { count, oldestAt: addMs(this.clock.now(), -ageSeconds * 1_000) } };
  }

  every(seconds: number, run: () => void): void {
    this.clock.after(seconds * 1_000, () => {
      run();
      this.every(seconds, run);
    });
  }

  call({ outcome, seconds } = this.gate): void {
    const ended = this.service.gates.began(GATE, 'charge');
    this.clock.after(seconds * 1_000, () => ended(outcome));
  }

  async nextScrape(): Promise<number> {
    await this.clock.advance(SCRAPE_GAP_MS);
    const now = this.clock.now();
    const service = this.isUp ? await this.#scraped(this.service.registry) : [];
    const written = new Set([...this.#written.values()].map(({ name }) => name));
    const orchestrator = [...service.filter(({ name }) => !written.has(name)), ...(this.isUp ? this.#written.values() : [])];
    const up = { name: 'up', labels: {} };
    this.series.scraped(now, { job: 'orchestrator', instance: 'worker-1:8082' }, [...orchestrator, { ...up, value: this.isUp ? 1 : 0 }]);
    const merchant = await this.#scraped(this.merchant.registry);
    this.series.scraped(now, { job: 'merchant-server', instance: 'merchant-server:8084' }, [...merchant, { ...up, value: 1 }]);
    return now;
  }

  async #scraped(registry: Registry): Promise<readonly Named[]> {
    const all = registry.getMetricsAsArray() as unknown as readonly { readonly name: string; get(): Promise<Printed> }[];
    const read = all.filter(({ name }) => !isOfMachine(name) && this.scraped?.has(name) !== false);
    return (await Promise.all(read.map((metric) => metric.get()))).flatMap(({ name, values }) =>
      values.map(({ value, labels, metricName = name }) => ({
        name: metricName,
        labels: Object.fromEntries(Object.entries(labels).map(([label, text]) => [label, String(text)])),
        value,
      })),
    );
  }
}
