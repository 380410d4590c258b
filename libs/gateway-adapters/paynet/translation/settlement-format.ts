import { parseAmount, type Currency } from '@app/kernel';
import { LATER_EVENT, type SettledOperation, type SettlementDraft, type SettlementFormat, type SettlementLine } from '../../contract';
import { readUpstreamDate } from '../wire/answer-fields';

export const SETTLEMENT_COLUMNS = [
  'merchant-order-id',
  'paynet-order-id',
  'by-request-sn',
  'transaction-type',
  'status',
  'amount',
  'currency',
  'commission',
  'transaction-date',
  'processor-tx-id',
  'processor-rrn',
] as const;

/** The `transaction-type` of a report in the file. A gate's reversal must differ from a return that a merchant requested. */
export const LATER_EVENT_WORDS = {
  chargeback: 'chargeback',
  representment: 'representment_won',
  reversal: 'reported_reversal',
  cancel: 'reported_cancel',
} as const;

const REFERENCE_COLUMNS = [
  'merchant-order-id',
  'paynet-order-id',
  'by-request-sn',
  'amount',
  'commission',
  'processor-tx-id',
  'processor-rrn',
] as const satisfies readonly (typeof SETTLEMENT_COLUMNS)[number][];

const OPERATIONS: Readonly<Record<string, SettledOperation>> = {
  sale: 'sale',
  preauth: 'preauth',
  account_verification: 'account-verification',
  transfer: 'transfer',
  capture: 'capture',
  reversal: 'return',
  cancel: 'return',
  void: 'void',
};
const LATER_EVENTS: ReadonlySet<string> = new Set<string>(Object.values(LATER_EVENT_WORDS));
const DECLINED: ReadonlySet<string> = new Set(['declined', 'filtered', 'error']);
/** Other users of the account may name orders like merchants do, so this is wider than our keys (protocol decisions, section 4). */
const CLIENT_ORDERID = /^\P{Cc}{1,128}$/u;
const KEY = /^[A-Za-z0-9-]{1,128}$/;
const CURRENCY = /^[A-Z]{3}$/;
const REFERENCE = /^[\x20-\x7e]{1,128}$/;

/** An unknown status is not final (protocol decisions, section 2). */
const statusOf = (status: string): SettlementLine['status'] => {
  if (status === 'approved') return 'approved';
  return DECLINED.has(status) ? 'declined' : 'open';
};

const optional = (text: string): boolean => text === '' || REFERENCE.test(text);

/** Settlement file of an upstream gateway; `orch settlement-file --merchant` writes this format. */
export const settlementFormat: SettlementFormat = {
  columns: SETTLEMENT_COLUMNS,
  references: REFERENCE_COLUMNS,
  read: ([
    original = '',
    order = '',
    serial = '',
    type = '',
    status = '',
    amount = '',
    currency = '',
    commission = '',
    date = '',
    transaction = '',
    rrn = '',
  ]) => {
    const operation = OPERATIONS[type];
    const minor = parseAmount(amount);
    const commissionMinor = commission === '' ? undefined : parseAmount(commission);
    const processedAt = readUpstreamDate(date);
    if (!CLIENT_ORDERID.test(original)) return { column: 'merchant-order-id', must: 'must have 1 to 128 characters, none of control' };
    if (LATER_EVENTS.has(type)) return { column: 'transaction-type', must: LATER_EVENT, original, isLaterEvent: true };
    if (!REFERENCE.test(order)) return { column: 'paynet-order-id', must: 'must have 1 to 128 visible characters', original };
    if (!KEY.test(serial)) return { column: 'by-request-sn', must: 'must be a serial number', original };
    if (operation === undefined)
      return { column: 'transaction-type', must: `must be one of ${Object.keys(OPERATIONS).join(', ')}`, original };
    if (!REFERENCE.test(status)) return { column: 'status', must: 'must be a status', original };
    if (minor === undefined) return { column: 'amount', must: 'must be in major units, such as 10.00', original };
    if (!CURRENCY.test(currency)) return { column: 'currency', must: 'must be three upper-case letters', original };
    if (commission !== '' && commissionMinor === undefined)
      return { column: 'commission', must: 'must be in major units, or empty', original };
    if (processedAt === undefined) return { column: 'transaction-date', must: 'must be a time such as 2026-11-24 08:30:00 UTC', original };
    if (!optional(transaction)) return { column: 'processor-tx-id', must: 'must have at most 128 visible characters', original };
    if (!optional(rrn)) return { column: 'processor-rrn', must: 'must have at most 128 visible characters', original };
    const line: SettlementDraft = {
      original,
      reference: serial,
      operation,
      status: statusOf(status),
      amount: { minor, currency: currency as Currency },
      processedAt,
      gateOrderId: order,
    };
    if (commissionMinor !== undefined) line.commissionMinor = commissionMinor;
    if (rrn !== '') line.rrn = rrn;
    return line;
  },
};
