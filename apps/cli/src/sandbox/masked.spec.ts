import { masked } from './masked';

it('shows the first six and last four digits of a card number, nothing of a CVV, and other fields unchanged', () => {
  expect(masked('credit_card_number', '4444333322221111')).toBe('444433******1111');
  expect(masked('cvv2', '123')).toBe('***');
  expect(masked('sourceCard.number', '4444333322221111')).toBe('444433******1111');
  expect(masked('sourceOfFunds.card.number', '4444333322221111')).toBe('444433******1111');
  expect(masked('sourceOfFunds.reference.securityCode', '1234')).toBe('****');
  expect(masked('amount', '10.42')).toBe('10.42');
});
