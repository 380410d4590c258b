import type { PayerAuthentication } from '@app/gateway-adapters/contract';
import type { Instant } from '@app/kernel';
import type { Standing } from './transaction';

/** What became of a request, as SQLite holds it; times in milliseconds. */
export interface StandingColumns {
  readonly status: string;
  readonly decline_code: number | null;
  readonly payer_authentication: string | null;
  readonly decided_at: number | null;
  readonly settles_at: number | null;
}

export const standingColumns = (standing: Standing): StandingColumns => {
  if (standing.status === 'refused' || standing.status === 'payer-pending') {
    return { status: standing.status, decline_code: null, payer_authentication: null, decided_at: null, settles_at: null };
  }
  return {
    status: standing.status,
    decline_code: standing.status === 'declined' ? standing.code : null,
    payer_authentication: standing.payerAuthentication ?? null,
    decided_at: standing.decidedAt,
    settles_at: standing.settlesAt ?? null,
  };
};

/** @throws Error where the columns are none that this code writes. */
export const standingOf = (row: StandingColumns & { readonly key: string }): Standing => {
  const { key, status, decline_code, payer_authentication, decided_at, settles_at } = row;
  if (status === 'refused' || status === 'payer-pending') return { status };
  if (decided_at === null) throw new Error(`attempt ${key} stands in the ledger as ${status}, with no time`);
  const decided = {
    decidedAt: decided_at as Instant,
    ...(payer_authentication === null ? {} : { payerAuthentication: payer_authentication as PayerAuthentication }),
    ...(settles_at === null ? {} : { settlesAt: settles_at as Instant }),
  };
  if (status === 'approved') return { status, ...decided };
  if (status === 'declined' && decline_code !== null) return { status, code: decline_code, ...decided };
  throw new Error(`attempt ${key} stands in the ledger as ${status}, which is no standing`);
};
