import type { SettledOperation, SettlementDraft, SettlementFormat, SettlementLine } from '@app/gateway-adapters/contract';
import { parseAmount, type Currency } from '@app/kernel';
import { readUpstreamDate } from '../translation/upstream-date';

/** The words are those of a status answer (interface, section 2.5), so that one dictionary serves both. */
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

const REFERENCE_COLUMNS = [
  'merchant-order-id',
  'paynet-order-id',
  'by-request-sn',
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
const DECLINED: ReadonlySet<string> = new Set(['declined', 'filtered', 'error']);
/** What we sent there is a key of ours; another who uses the account may have named an order as merchants do (protocol decisions, section 4). */
const CLIENT_ORDERID = /^\P{Cc}{1,128}$/u;
const KEY = /^[A-Za-z0-9-]{1,128}$/;
const CURRENCY = /^[A-Z]{3}$/;
const REFERENCE = /^[\x20-\x7e]{1,128}$/;

/** A status value that is not known is not final (protocol decisions, section 2). */
const statusOf = (status: string): SettlementLine['status'] => {
  if (status === 'approved') return 'approved';
  return DECLINED.has(status) ? 'declined' : 'open';
};

const optional = (text: string): boolean => text === '' || REFERENCE.test(text);

/** The settlement file of an upstream gateway; an installation of ours writes it with `orch settlement-file --merchant`. */
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
    if (!REFERENCE.test(order)) return { column: 'paynet-order-id', must: 'must have 1 to 128 visible characters' };
    if (!KEY.test(serial)) return { column: 'by-request-sn', must: 'must be a serial number' };
    if (operation === undefined) return { column: 'transaction-type', must: `must be one of ${Object.keys(OPERATIONS).join(', ')}` };
    if (!REFERENCE.test(status)) return { column: 'status', must: 'must be a status' };
    if (minor === undefined) return { column: 'amount', must: 'must be in major units, such as 10.00' };
    if (!CURRENCY.test(currency)) return { column: 'currency', must: 'must be three upper-case letters' };
    if (commission !== '' && commissionMinor === undefined) return { column: 'commission', must: 'must be in major units, or empty' };
    if (processedAt === undefined) return { column: 'transaction-date', must: 'must be a time such as 2026-11-24 08:30:00 UTC' };
    if (!optional(transaction)) return { column: 'processor-tx-id', must: 'must have at most 128 visible characters' };
    if (!optional(rrn)) return { column: 'processor-rrn', must: 'must have at most 128 visible characters' };
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
