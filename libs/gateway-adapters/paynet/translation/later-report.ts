import { parseAmount, type Currency, type Money } from '@app/kernel';
import type { DisputeNews } from '../../contract';
import type { AnswerFields } from '../wire/answer-fields';

const CASE = /^[\x21-\x7e]{1,64}$/;
const REASON_CODE = /^[A-Za-z0-9][A-Za-z0-9._/-]{0,15}$/;
const CURRENCY = /^[A-Z]{3}$/;

type Stage = NonNullable<Extract<DisputeNews, { kind: 'chargeback' }>['stage']>;
const STAGES: Readonly<Record<Stage, true>> = { first: true, second: true, arbitration: true };
const isStage = (text: string | undefined): text is Stage => text !== undefined && Object.hasOwn(STAGES, text);

const moneyOf = (fields: AnswerFields): Money | undefined => {
  const [amount, currency] = [fields.get('amount'), fields.get('currency')];
  const minor = amount === undefined ? undefined : parseAmount(amount);
  if (minor === undefined || minor === 0n || currency === undefined || !CURRENCY.test(currency)) return undefined;
  return { minor, currency: currency as Currency };
};

/** A gateway that does not say what it reports speaks of a chargeback by its type alone; its own id of the order names the one case. */
const wordOf = (fields: AnswerFields): string | undefined =>
  fields.get('report') ?? (fields.get('type') === 'chargeback' && fields.get('status') === 'approved' ? 'chargeback' : undefined);

/** Whether a callback tells of something that its order's gate did by itself. */
export const isLaterReport = (fields: AnswerFields): boolean => wordOf(fields) !== undefined;

/**
 * What a callback says of an order after its end (protocol decisions, D6.8); undefined for a word that is not known here, and where the case, its sum or
 * its stage cannot be read.
 */
export const laterReport = (fields: AnswerFields): DisputeNews | undefined => {
  const word = wordOf(fields);
  const reportId = fields.get('report-id') ?? (fields.has('report') ? undefined : fields.get('paynet-order-id'));
  if (reportId === undefined || !CASE.test(reportId)) return undefined;
  const [reasonCode, stage, amount] = [fields.get('reason-code'), fields.get('report-stage'), moneyOf(fields)];
  if (stage !== undefined && !isStage(stage)) return undefined;
  const about = { reportId, ...(reasonCode !== undefined && REASON_CODE.test(reasonCode) && { reasonCode }) };
  const staged = stage === undefined ? about : { ...about, stage };
  switch (word) {
    case 'reversal':
      return amount && { kind: 'reversal', ...about, amount };
    case 'chargeback':
      return amount && { kind: 'chargeback', ...staged, amount };
    case 'representment_won':
      return { kind: 'representment', outcome: 'won', ...staged };
    case 'representment_lost':
      return { kind: 'representment', outcome: 'lost', ...staged };
    case 'fraud_warning':
      return { kind: 'fraud-warning', ...about, ...(amount && { amount }) };
    case undefined:
    default:
      return undefined;
  }
};
