import type { DecidedAgain, NotKnown, WouldEnd } from '@app/investigation';
import { formatAmount } from '@app/kernel';
import type { Paint, Tone } from '../terminal/paint';
import { printable } from '../terminal/printable';

const NOT_KNOWN_TEXTS: Readonly<Record<NotKnown, string>> = {
  'gate-never-asked': 'a gate that was never asked',
  'text-sealed': 'what is sealed',
  'digits-not-shown': 'digits of the card that are not shown',
  'count-in-doubt': 'whether an earlier order of the card would have passed',
  'order-open': 'an attempt that is open still',
};

export const notKnownText = (why: NotKnown): string => NOT_KNOWN_TEXTS[why];

const endText = (end: WouldEnd): string => {
  switch (end.kind) {
    case 'approved':
      return `approved ${formatAmount(end.amount.minor)} at ${end.gate ?? 'no gate'}`;
    case 'refused':
      return `${end.status} (${end.code})`;
    case 'open':
      return 'open';
    case 'cannot-know':
      return `not known: ${notKnownText(end.why)}${end.gate === undefined ? '' : `, ${end.gate}`}`;
  }
};

const TONES: Readonly<Record<DecidedAgain['class'], Tone>> = {
  same: 'plain',
  'same-outcome': 'faint',
  differs: 'strong',
  'cannot-know': 'waiting',
};

export const decidedLine = ({ order, class: found, was, would, by }: DecidedAgain, paint: Paint): string => {
  const { orderId, merchant, clientOrderId, amount } = order;
  const name = `${orderId}  ${merchant}  ${printable(clientOrderId)}  ${formatAmount(amount.minor)} ${amount.currency}`;
  return `${name}  ${endText(was)} → ${paint(TONES[found], endText(would))}  by ${by ?? '-'}`;
};

const endAsData = (end: WouldEnd): object =>
  end.kind === 'approved' ? { kind: end.kind, amount: formatAmount(end.amount.minor), gate: end.gate ?? null } : end;

export const decidedAsData = ({ order, class: found, was, would, by, isDrawnAnew }: DecidedAgain): object => ({
  class: found,
  orderId: order.orderId,
  merchant: order.merchant,
  clientOrderId: order.clientOrderId,
  endpointId: order.endpointId,
  amount: formatAmount(order.amount.minor),
  currency: order.amount.currency,
  by: by ?? null,
  was: endAsData(was),
  would: endAsData(would),
  isDrawnAnew,
});
