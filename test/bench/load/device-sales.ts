import { Program } from '../harness/program';

/** A round of sales; each by a device and a consumer of its own, with a card of its own. */
export interface DeviceSales {
  readonly gatewayPort: number;
  readonly merchantPort: number;
  /** Number of the first device: no two rounds share one. */
  readonly from: number;
  readonly sales: number;
  /** Devices with a sale under way at one moment, each on a connection of its own. */
  readonly devices: number;
  /** From one answer of the gateway to the next status request. */
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
  /** CPU of the generator's process while the sales ran. */
  readonly generatorCpuMs: number;
}

const TIMEOUT_MS = 300_000;

/** Plays the devices in a process of its own. */
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
