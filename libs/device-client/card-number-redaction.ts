import { holdsCardNumber } from '@app/gateway-protocol';
import type { DeviceOrder } from './device-order';
import type { Outcome } from './outcome';

const VEIL = '[redacted]';

const numbersOf = (order: DeviceOrder): readonly string[] => {
  const cards = [
    order.operation === 'verification' ? order.card : 'card' in order.source ? order.source.card : undefined,
    order.operation === 'transfer' && 'card' in order.destination ? order.destination.card : undefined,
  ];
  return cards.flatMap((card) => (card === undefined ? [] : [card.number.reveal()]));
};

/** A refusal without the card number, should the other side's text repeat it: apps log refusals (safety, T32). */
export const withoutCardNumbers = <Answered extends Outcome<unknown>>(outcome: Answered, order: DeviceOrder): Answered => {
  if (outcome.kind !== 'refused') return outcome;
  const isEcho = (text: string): boolean => numbersOf(order).some((number) => holdsCardNumber(text, number));
  const redacted = (text: string): string => (isEcho(text) ? VEIL : text);
  return { ...outcome, code: redacted(outcome.code), message: redacted(outcome.message) };
};
