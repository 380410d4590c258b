import type { DeviceOperation } from '@app/gateway-protocol';
import type { AnyDeviceEndpoint } from './device-endpoint';

/** The operations of Group B, made by the composition (interface, section 4.2). */
export interface DeviceEndpoints {
  readonly perform: Readonly<Record<DeviceOperation, AnyDeviceEndpoint>>;
  readonly status: Readonly<Record<DeviceOperation, AnyDeviceEndpoint>>;
  readonly completeTransfer: AnyDeviceEndpoint;
}

/** Which endpoint serves a path; a look-up costs the same for every one of them. */
export class DeviceRoutes {
  readonly #perform: ReadonlyMap<string, AnyDeviceEndpoint>;
  readonly #status: ReadonlyMap<string, AnyDeviceEndpoint>;

  constructor(private readonly endpoints: DeviceEndpoints) {
    this.#perform = new Map(Object.entries(endpoints.perform));
    this.#status = new Map(Object.entries(endpoints.status));
  }

  perform(operation: string): AnyDeviceEndpoint | undefined {
    return this.#perform.get(operation);
  }

  status(operation: string): AnyDeviceEndpoint | undefined {
    return this.#status.get(operation);
  }

  /** Of a transfer alone. */
  complete(operation: string): AnyDeviceEndpoint | undefined {
    return operation === 'transfer' ? this.endpoints.completeTransfer : undefined;
  }
}
