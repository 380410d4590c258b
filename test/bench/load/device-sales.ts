import { Program } from '../harness/program';

export interface DeviceSales {
  readonly gatewayPort: number;
  readonly merchantPort: number;
  /** Number of the first device: no two rounds share one. */
  readonly from: number;
  readonly sales: number;
  readonly devices: number;
  readonly askAgainMs: number;
}

export interface DeviceSalesResult {
  /** From the first perform until the last sale was seen approved. */
  readonly elapsedMs: number;
  /** For each sale, from the perform until status is APPROVED. */
  readonly flowMs: readonly number[];
  /** For each sale, until the perform was answered. */
  readonly performMs: readonly number[];
  readonly statuses: number;
  readonly generatorCpuMs: number;
}

const TIMEOUT_MS = 300_000;

export class DeviceFleet {
  readonly #program = new Program<DeviceSales, DeviceSalesResult>('device-fleet');
  #from = 0;

  async sell(sales: Omit<DeviceSales, 'from'>): Promise<DeviceSalesResult> {
    const from = this.#from;
    this.#from += sales.sales;
    return this.#program.ask({ ...sales, from }, TIMEOUT_MS);
  }

  stop(): Promise<void> {
    return this.#program.stop();
  }
}
