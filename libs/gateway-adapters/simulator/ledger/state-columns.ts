import type { Instant } from '@app/kernel';
import type { PayerAuthentication } from '../../contract';
import type { TransactionState } from './transaction';

/** The state of a request as SQLite holds it; times in milliseconds. */
export interface StateColumns {
  readonly status: string;
  readonly decline_code: number | null;
  readonly payer_authentication: string | null;
  readonly decided_at: number | null;
  readonly settles_at: number | null;
}

export const stateColumns = (state: TransactionState): StateColumns => {
  if (state.status === 'refused' || state.status === 'payer-pending') {
    return { status: state.status, decline_code: null, payer_authentication: null, decided_at: null, settles_at: null };
  }
  return {
    status: state.status,
    decline_code: state.status === 'declined' ? state.code : null,
    payer_authentication: state.payerAuthentication ?? null,
    decided_at: state.decidedAt,
    settles_at: state.knownFrom ?? null,
  };
};

/** @throws Error for columns that this code never writes. */
export const stateOf = (row: StateColumns & { readonly key: string }): TransactionState => {
  const { key, status, decline_code, payer_authentication, decided_at, settles_at } = row;
  if (status === 'refused' || status === 'payer-pending') return { status };
  if (decided_at === null) throw new Error(`attempt ${key} is ${status} in the ledger, with no time`);
  const decided = {
    decidedAt: decided_at as Instant,
    ...(payer_authentication === null ? {} : { payerAuthentication: payer_authentication as PayerAuthentication }),
    ...(settles_at === null ? {} : { knownFrom: settles_at as Instant }),
  };
  if (status === 'approved') return { status, ...decided };
  if (status === 'declined' && decline_code !== null) return { status, code: decline_code, ...decided };
  throw new Error(`attempt ${key} is ${status} in the ledger, which no transaction can have`);
};
