import type { MerchantLogin } from '@app/kernel';

export type Admission = { readonly kind: 'admitted' } | { readonly kind: 'limited'; readonly retryAfterMs: number };

/** How many requests a merchant may make (`rateLimit.requestsPerSecond`; protocol decisions, section 3; safety, T35). */
export interface RateLimit {
  /** Takes one request's place where there is one. Never throws: what fails must not turn payments away. */
  admit(merchant: MerchantLogin): Promise<Admission>;
  close(): Promise<void>;
}

/** The setting of 0. */
export const noRateLimit: RateLimit = {
  admit: () => Promise.resolve({ kind: 'admitted' }),
  close: () => Promise.resolve(),
};
