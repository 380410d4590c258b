import type { CardRegistrationEvent } from '@app/card-registration/events';
import { CannotApply } from '../engine/faults';
import type { LogEvent } from '../engine/log-event';
import { foldCardReference } from './card-reference.fold';

const CARD = { bin: '444433', last4: '1111' };
const data = { merchant: 'acme', cardRefId: '1001', use: 'recurring', orderKind: 'payment', orderId: '1', clientOrderId: 'a', card: CARD };
const issued = { event: { type: 'CardReferenceIssued', data } } as unknown as LogEvent<CardRegistrationEvent>;

describe('the row of a card reference', () => {
  it('holds what it was issued with', () => {
    expect(foldCardReference(undefined, issued)).toMatchObject(data);
  });

  it('is never issued twice', () => {
    expect(() => foldCardReference(foldCardReference(undefined, issued), issued)).toThrow(CannotApply);
  });
});

describe('what gates know a card by', () => {
  const kept = {
    event: { type: 'GateTokenKept', data: { gate: 'sim-a', token: '1', keptAt: 1 } },
  } as unknown as LogEvent<CardRegistrationEvent>;

  it('changes nothing in the row of its reference', () => {
    const row = foldCardReference(undefined, issued);
    expect(foldCardReference(row, kept)).toBe(row);
  });

  it('is never told of a reference that was not issued', () => {
    expect(() => foldCardReference(undefined, kept)).toThrow(CannotApply);
  });
});
