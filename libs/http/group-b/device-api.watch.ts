import { token } from '@app/kernel/injection';
import type { NamedRequest } from '@app/orders';
import type { GroupBOperationName } from '@app/gateway-protocol';

/** An answered request, for metrics and the log; it holds no member of the request's body. */
export interface ServedDeviceRequest {
  readonly operation: GroupBOperationName;
  readonly serial: string;
  /** The caller's trace id, 32 hex digits; absent where the request brought none. */
  readonly trace?: string;
  readonly merchant: string | undefined;
  /** The endpoint of an authenticated sender. */
  readonly entryPoint?: string;
  /** The order that was accepted, or whose session it is. */
  readonly orderId?: string;
  readonly outcome: string;
  /** The `error.code` of the answer (protocol decisions, section 8). */
  readonly errorCode: string | undefined;
  readonly durationMs: number;
}

/** Reports the requests of Group B to metrics and the log. */
export interface DeviceApiWatch {
  served(request: ServedDeviceRequest): void;
  /** A bug, or a store that is away; answered with INTERNAL_ERROR. */
  failed(request: NamedRequest, error: unknown): void;
  /** An order was accepted whose signed text can also be split into other values (safety, section 3.1). */
  signatureAmbiguous(): void;
}

export const DEVICE_API_WATCH = token<DeviceApiWatch>('DEVICE_API_WATCH');
