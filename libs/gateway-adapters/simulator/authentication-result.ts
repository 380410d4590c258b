import { PAYER_NOT_AUTHENTICATED } from './charge-rules';
import type { Verdict } from './ledger/transaction';

/** The one field of the authentication page. */
export const PASSWORD_FIELD = 'password';
const PASSWORD = 'hint';

/** The issuer's verdict on what the payer's browser brought back from the authentication page (protocol decisions, sections 7 and 9). */
export const verdictOnPayer = (returned: ReadonlyMap<string, string>): Verdict =>
  returned.get(PASSWORD_FIELD) === PASSWORD
    ? { status: 'approved', payerAuthentication: 'AUTHENTICATED' }
    : { status: 'declined', code: PAYER_NOT_AUTHENTICATED, payerAuthentication: 'NOT_AUTHENTICATED' };
