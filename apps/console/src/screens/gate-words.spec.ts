import { choiceSentence, passedOverText, sharePercent } from './gate-words';

it('says why a rule was passed over, and why the gates are in this order', () => {
  expect(passedOverText(['amount', 'gates'])).toBe('the amount is outside its limits, and none of its gates can serve the order');
  const gates = ['a', 'b'];
  expect(choiceSentence({ rule: 'x', choice: 'cascade', gates: ['a'] })).toBe('Only one gate is tried.');
  expect(choiceSentence({ rule: 'x', choice: 'cascade', gates })).toContain('in the order of their list');
  expect(choiceSentence({ rule: 'x', choice: 'least-commission', gates })).toContain('least commission');
  expect(choiceSentence({ rule: 'x', choice: 'split', drawnBy: 'chance', gates })).toContain('by chance');
  expect(choiceSentence({ rule: 'x', choice: 'split', drawnBy: 'customer', gates })).toContain('for this customer');
  expect(sharePercent(7, [{ weight: 7 }, { weight: 3 }])).toBe(70);
});
