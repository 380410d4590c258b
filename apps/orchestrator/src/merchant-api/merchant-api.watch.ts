import { token } from '@app/injection';
import type { NamedRequest } from '@app/order-processing';

/** One request and what it came to, for metrics and the log: no field of the request but its identifiers. */
export interface ServedRequest {
  readonly operation: string;
  readonly serial: string;
  /** Of its caller, as 32 hex digits; absent where it brought none. */
  readonly trace?: string;
  readonly merchant: string | undefined;
  readonly outcome: string;
  readonly durationMs: number;
}

/** Who is told what became of requests. */
export interface MerchantApiWatch {
  served(request: ServedRequest): void;
  /** A store that was away, or a bug; answered with code 20, 21 or 99. */
  failed(request: NamedRequest, error: unknown): void;
}
export const MERCHANT_API_WATCH = token<MerchantApiWatch>('MERCHANT_API_WATCH');
