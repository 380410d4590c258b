import { token } from '@app/injection';
import type { NamedRequest } from '@app/order-processing';
import type { GroupBOperationName } from '@app/gateway-protocol';

/** One request and what it came to, for metrics and the log: no member of the request. */
export interface ServedDeviceRequest {
  readonly operation: GroupBOperationName;
  readonly serial: string;
  /** Of its caller, as 32 hex digits; absent where it brought none. */
  readonly trace?: string;
  readonly merchant: string | undefined;
  readonly outcome: string;
  /** As the answer has it (protocol decisions, section 8). */
  readonly errorCode: string | undefined;
  readonly durationMs: number;
}

/** What metrics and the log are told of Group B. */
export interface DeviceApiWatch {
  served(request: ServedDeviceRequest): void;
  /** A bug, or a store that is away; answered with INTERNAL_ERROR. */
  failed(request: NamedRequest, error: unknown): void;
  /** An order was accepted under a signed text that splits otherwise too (safety, section 3.1). */
  signatureAmbiguous(): void;
}

export const DEVICE_API_WATCH = token<DeviceApiWatch>('DEVICE_API_WATCH');
