import { Secret, type OrderId } from '@app/kernel';
import { amountFollowUpControl, rebillControl } from '@app/gateway-protocol';
import type { OrderStatusView } from '@app/projections';
import { isFollowUpOfRebill, isRebillOfFollowUp, MAY_BE_FOLLOW_UP_FROM } from './shared-text';

const key = new Secret('00112233445566778899aabbccddeeff');
const CARD = 'csample0reference00c';
const NUMBER = '1234567890' as OrderId;
const rebill = { entryPoint: '1001', login: 'acme', clientOrderId: 'r-1', cardRefId: CARD, amountMinor: 12_345_678_905n, currency: 'EUR' };
const followUp = { login: 'acme', clientOrderId: `r-1${CARD}`, orderId: NUMBER };
const signed = { amountMinor: 5n, currency: 'EUR' };

const finding = (...known: readonly string[]) => ({
  find: (login: string, clientOrderId: string, orderId: string) =>
    Promise.resolve(known.includes(`${login} ${clientOrderId} ${orderId}`) ? ({} as OrderStatusView) : undefined),
});
const rebilled = (clientOrderId: string, initialAmountMinor: string) => ({
  findOfKind: (kind: string, login: string, asked: string) =>
    Promise.resolve(
      kind === 'recurring' && login === 'acme' && asked === clientOrderId ? ({ initialAmountMinor } as OrderStatusView) : undefined,
    ),
});

describe('a text that a recurrent payment shares with a follow-up of an order number', () => {
  it('is one text', () => {
    expect(rebillControl(rebill, key, 'without-endpoint')).toBe(amountFollowUpControl(followUp, signed, key));
    expect(rebill.amountMinor).toBeGreaterThanOrEqual(MAY_BE_FOLLOW_UP_FROM);
  });

  it('is the follow-up’s where that order is there', async () => {
    await expect(isRebillOfFollowUp(finding(`acme r-1${CARD} ${NUMBER}`), rebill)).resolves.toBe(true);
    await expect(isRebillOfFollowUp(finding(`acme r-1 ${NUMBER}`, `other r-1${CARD} ${NUMBER}`), rebill)).resolves.toBe(false);
  });

  it.each([
    ['no amount behind the number', 12_345_678_900n],
    ['no order number before it', 98_765_432_101n],
    ['another order', 12_345_678_915n],
  ])('is the recurrent payment’s with %s', async (_what, amountMinor) => {
    const number = amountMinor === 12_345_678_915n ? '1234567890' : amountMinor.toString().slice(0, 10);
    await expect(isRebillOfFollowUp(finding(`acme r-1${CARD} ${number}`), { ...rebill, amountMinor })).resolves.toBe(false);
  });

  it('is the recurrent payment’s where that was taken', async () => {
    await expect(isFollowUpOfRebill(rebilled('r-1', '12345678905'), followUp, signed)).resolves.toBe(true);
    await expect(isFollowUpOfRebill(rebilled('r-1', '12345678906'), followUp, signed)).resolves.toBe(false);
    await expect(isFollowUpOfRebill(rebilled('r-2', '12345678905'), followUp, signed)).resolves.toBe(false);
  });

  it.each([
    ['before the card reference', { ...followUp, clientOrderId: `r-1 ${CARD}` }],
    ['behind it', { ...followUp, clientOrderId: `r-1${CARD}\n` }],
    ['before both', { ...followUp, clientOrderId: ` r-1${CARD}` }],
    ['around the login', { ...followUp, login: 'acme\n' }],
  ])('is the recurrent payment’s also where it was signed with white space %s', async (_where, named) => {
    await expect(isFollowUpOfRebill(rebilled('r-1', '12345678905'), named, signed)).resolves.toBe(true);
  });

  it.each([
    ['behind the card reference', { ...rebill, cardRefId: `${CARD}\n` }],
    ['before all', { ...rebill, clientOrderId: ' r-1' }],
    ['around the login', { ...rebill, login: 'acme\n' }],
  ])('is the follow-up’s also where it was signed with white space %s', async (_where, charged) => {
    await expect(isRebillOfFollowUp(finding(`acme r-1${CARD} ${NUMBER}`), charged)).resolves.toBe(true);
  });

  it.each([
    ['an order whose client_orderid ends with no card reference', { ...followUp, clientOrderId: 'r-1' }, 5n],
    ['an order id of text', { ...followUp, orderId: 'p0sample0order1r' }, 5n],
    ['more than an amount has digits', followUp, 555n],
    ['nothing but a card reference', { ...followUp, clientOrderId: CARD }, 5n],
  ])('is looked up for no other follow-up: %s', async (_what, named, amountMinor) => {
    const orders = { findOfKind: () => Promise.reject(new Error('looked up')) };
    await expect(isFollowUpOfRebill(orders, named, { ...signed, amountMinor })).resolves.toBe(false);
  });
});
