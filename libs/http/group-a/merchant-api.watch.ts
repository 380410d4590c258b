import { token } from '@app/kernel/injection';
import type { NamedRequest } from '@app/orders';

/** One request and its outcome, for metrics and the log. Of the request's fields it may hold identifiers only. */
export interface ServedRequest {
  readonly operation: string;
  readonly serial: string;
  /** The caller's trace id, 32 hexadecimal digits; absent where the request has no traceparent. */
  readonly trace?: string;
  readonly merchant: string | undefined;
  /** The endpoint or group of an authenticated sender. */
  readonly entryPoint?: string;
  /** The order that the answer names, or that an authenticated sender asks about. */
  readonly orderId?: string;
  readonly outcome: string;
  readonly durationMs: number;
}

/** Observes the requests of Group A, for metrics and the log. */
export interface MerchantApiWatch {
  served(request: ServedRequest): void;
  /** A store was unavailable or a bug threw; the request is answered with code 20, 21 or 99. */
  failed(request: NamedRequest, error: unknown): void;
}
export const MERCHANT_API_WATCH = token<MerchantApiWatch>('MERCHANT_API_WATCH');
