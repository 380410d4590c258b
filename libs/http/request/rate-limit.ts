import type { MerchantLogin } from '@app/kernel';

export type Admission = { readonly kind: 'admitted' } | { readonly kind: 'limited'; readonly retryAfterMs: number };

/** The number of requests that a merchant may make (`rateLimit.requestsPerSecond`; protocol decisions, D3.9; safety, T35). */
export interface RateLimit {
  /** Takes a slot for one request where one is free. It never throws, because its failure must not turn payments away. */
  admit(merchant: MerchantLogin): Promise<Admission>;
  close(): Promise<void>;
}

/** For a setting of 0. */
export const noRateLimit: RateLimit = {
  admit: () => Promise.resolve({ kind: 'admitted' }),
  close: () => Promise.resolve(),
};
