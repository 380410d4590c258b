import { Secret, type OrderId } from '@app/kernel';
import { amountFollowUpControl, rebillControl } from '@app/gateway-protocol';
import type { OrderStatusView } from '@app/read-models';
import { AMBIGUOUS_FROM_MINOR, matchesExistingFollowUp, matchesExistingRebill } from './control-verifier';

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
  findOfKind: (kind: string, login: string, requested: string) =>
    Promise.resolve(
      kind === 'recurring' && login === 'acme' && requested === clientOrderId ? ({ initialAmountMinor } as OrderStatusView) : undefined,
    ),
});

describe('a control that matches both a recurrent payment and a follow-up by order number (safety, section 3.1)', () => {
  it('is the same checksum for both requests', () => {
    expect(rebillControl(rebill, key, 'without-endpoint')).toBe(amountFollowUpControl(followUp, signed, key));
    expect(rebill.amountMinor).toBeGreaterThanOrEqual(AMBIGUOUS_FROM_MINOR);
  });

  it("authenticates the follow-up if the follow-up's order exists [W491]", async () => {
    await expect(matchesExistingFollowUp(finding(`acme r-1${CARD} ${NUMBER}`), rebill)).resolves.toBe(true);
    await expect(matchesExistingFollowUp(finding(`acme r-1 ${NUMBER}`, `other r-1${CARD} ${NUMBER}`), rebill)).resolves.toBe(false);
  });

  it.each([
    ['no amount after the order number', 12_345_678_900n],
    ['no order number at the beginning of the amount', 98_765_432_101n],
    ['another order', 12_345_678_915n],
  ])('authenticates the recurrent payment with %s', async (_case, amountMinor) => {
    const number = amountMinor === 12_345_678_915n ? '1234567890' : amountMinor.toString().slice(0, 10);
    await expect(matchesExistingFollowUp(finding(`acme r-1${CARD} ${number}`), { ...rebill, amountMinor })).resolves.toBe(false);
  });

  it('authenticates the recurrent payment if that payment exists [W491]', async () => {
    await expect(matchesExistingRebill(rebilled('r-1', '12345678905'), followUp, signed)).resolves.toBe(true);
    await expect(matchesExistingRebill(rebilled('r-1', '12345678906'), followUp, signed)).resolves.toBe(false);
    await expect(matchesExistingRebill(rebilled('r-2', '12345678905'), followUp, signed)).resolves.toBe(false);
  });

  it.each([
    ['before the card reference', { ...followUp, clientOrderId: `r-1 ${CARD}` }],
    ['after it', { ...followUp, clientOrderId: `r-1${CARD}\n` }],
    ['before both', { ...followUp, clientOrderId: ` r-1${CARD}` }],
    ['around the login', { ...followUp, login: 'acme\n' }],
  ])('authenticates an existing recurrent payment that was signed with white space %s', async (_where, named) => {
    await expect(matchesExistingRebill(rebilled('r-1', '12345678905'), named, signed)).resolves.toBe(true);
  });

  it.each([
    ['after the card reference', { ...rebill, cardRefId: `${CARD}\n` }],
    ['before the client_orderid', { ...rebill, clientOrderId: ' r-1' }],
    ['around the login', { ...rebill, login: 'acme\n' }],
  ])('authenticates the follow-up of an existing order if signed with white space %s', async (_where, charged) => {
    await expect(matchesExistingFollowUp(finding(`acme r-1${CARD} ${NUMBER}`), charged)).resolves.toBe(true);
  });

  it.each([
    ['an order whose client_orderid ends with no card reference', { ...followUp, clientOrderId: 'r-1' }, 5n],
    ['an order id that is no number', { ...followUp, orderId: 'p0sample0order1r' }, 5n],
    ['more digits than an amount may have', followUp, 555n],
    ['a client_orderid that is only a card reference', { ...followUp, clientOrderId: CARD }, 5n],
  ])('causes no search for a follow-up with %s', async (_case, named, amountMinor) => {
    const orders = { findOfKind: () => Promise.reject(new Error('looked up')) };
    await expect(matchesExistingRebill(orders, named, { ...signed, amountMinor })).resolves.toBe(false);
  });
});
