import { Program } from '../harness/program';

/** A round of sales. Each has a separate device, consumer and card. */
export interface DeviceSales {
  readonly gatewayPort: number;
  readonly merchantPort: number;
  /** Number of the first device: no two rounds share one. */
  readonly from: number;
  readonly sales: number;
  /** Devices with a sale in progress at the same time, each on a separate connection. */
  readonly devices: number;
  /** From an answer of the gateway to the next status request. */
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
  /** CPU of the generator's process during the sales. */
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
