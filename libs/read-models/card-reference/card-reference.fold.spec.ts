import type { CardRegistrationEvent } from '@app/card-registration/events';
import { CannotApply } from '../engine/faults';
import type { LogEvent } from '../engine/log-event';
import { foldCardReference } from './card-reference.fold';

const CARD = { bin: '444433', last4: '1111' };
const data = { merchant: 'acme', cardRefId: '1001', use: 'recurring', orderKind: 'payment', orderId: '1', clientOrderId: 'a', card: CARD };
const issued = { event: { type: 'CardReferenceIssued', data } } as unknown as LogEvent<CardRegistrationEvent>;

describe('card reference row', () => {
  it('has the data of the CardReferenceIssued event', () => {
    expect(foldCardReference(undefined, issued)).toMatchObject(data);
  });

  it('throws CannotApply if the reference is issued twice', () => {
    expect(() => foldCardReference(foldCardReference(undefined, issued), issued)).toThrow(CannotApply);
  });
});

describe('GateTokenKept', () => {
  const kept = {
    event: { type: 'GateTokenKept', data: { gate: 'sim-a', token: '1', keptAt: 1 } },
  } as unknown as LogEvent<CardRegistrationEvent>;

  it('leaves the row of the card reference unchanged', () => {
    const row = foldCardReference(undefined, issued);
    expect(foldCardReference(row, kept)).toBe(row);
  });

  it('throws CannotApply if the card reference was not issued', () => {
    expect(() => foldCardReference(undefined, kept)).toThrow(CannotApply);
  });
});
