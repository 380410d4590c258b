export interface ResultEntry {
  readonly code: number;
  readonly status: 'declined' | 'filtered' | 'error';
  readonly message: string;
}

/**
 * Reasons for an order that ends other than approved (protocol decisions, section 4). A gate may decline with an
 * unlisted code. Codes of refused requests are in the published language.
 */
export const RESULT_CODES = {
  'do-not-honour': { code: 100, status: 'declined', message: 'Do not honour' },
  'expired-card': { code: 101, status: 'declined', message: 'Expired card' },
  'payer-not-authenticated': { code: 110, status: 'declined', message: 'Payer was not authenticated' },
  'random-sum-not-confirmed': { code: 111, status: 'declined', message: 'Random sum was not confirmed' },
  'insufficient-funds': { code: 116, status: 'declined', message: 'Not sufficient funds' },
  'not-permitted-to-cardholder': { code: 119, status: 'declined', message: 'Transaction not permitted to cardholder' },
  'stolen-card': { code: 209, status: 'declined', message: 'Stolen card' },
  'filtered-by-screening': { code: 120, status: 'filtered', message: 'Filtered by screening' },
  'interrupted-before-gate': { code: 121, status: 'error', message: 'Interrupted before the gate was asked, nothing was charged' },
  'no-gate-available': { code: 122, status: 'error', message: 'No gate could be asked, nothing was charged' },
} as const satisfies Readonly<Record<string, ResultEntry>>;

export type ResultName = keyof typeof RESULT_CODES;
export type ResultCode<Name extends ResultName = ResultName> = (typeof RESULT_CODES)[Name]['code'];

export const resultCode = <Name extends ResultName>(name: Name): ResultCode<Name> => RESULT_CODES[name].code;

const MESSAGES: ReadonlyMap<number, string> = new Map(Object.values(RESULT_CODES).map(({ code, message }) => [code, message]));

export const resultMessage = (code: number): string | undefined => MESSAGES.get(code);
