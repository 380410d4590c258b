import { isNotice, noticeIn } from './notice';

const of = (amount: string, currency?: string) => ({ amountFrom: amount, amountTo: amount, currency });
const NONE = { on: undefined, lastFour: undefined };

it.each([
  ['67.90 2026-11-22 2822', { ...of('67.90'), on: '2026-11-22', lastFour: '2822' }],
  ['2822 67,90 EUR 22.11.2026', { ...of('67.90', 'EUR'), on: '2026-11-22', lastFour: '2822' }],
  ['67.90eur 1.2.2026 **** 2822', { ...of('67.90', 'EUR'), on: '2026-02-01', lastFour: '2822' }],
  ['€67.90 444433******2822', { ...of('67.90', 'EUR'), on: undefined, lastFour: '2822' }],
  ['card 2822, 1200 USD on 2026-11-22.', { ...of('1200', 'USD'), on: '2026-11-22', lastFour: '2822' }],
  ['the 67.90 for 2822', { ...of('67.90'), on: undefined, lastFour: '2822' }],
])('finds amount, day and last four digits in "%s"', (text, filters) => {
  expect(noticeIn(text)).toEqual(filters);
  expect(isNotice(noticeIn(text))).toBe(true);
});

it.each([
  ['2822', { ...NONE, lastFour: '2822' }],
  ['67.90', { ...of('67.90'), ...NONE }],
  ['2026-02-30', NONE],
  ['12187106742026-11-22', NONE],
  ['6a1f2822-1c1e-4a3f-9f0e-2026112267ab', NONE],
  ['4444332822', NONE],
  ['inv-2026-11-22-2822', NONE],
  ['10.20.30.40', NONE],
])('does not take "%s" for the description of a payment', (text, filters) => {
  expect(noticeIn(text)).toEqual(filters);
  expect(isNotice(noticeIn(text))).toBe(false);
});
