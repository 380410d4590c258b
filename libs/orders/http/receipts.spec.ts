import { RequestDeadlines, StoreUnavailable, type Position, type StreamName } from '@app/event-store';
import type { MerchantLogin } from '@app/kernel';
import type { Merchant } from '@app/configuration';
import type { OrderStatusView } from '@app/read-models';
import { receiptPage } from '@app/gateway-protocol';
import { VirtualClock } from '@app/testing';
import { packTexts } from '../domain/accepted-order';
import { Receipts, type ReceiptPorts } from './receipts';

const ACME = 'acme' as MerchantLogin;
const ID = 'abcdefghijklmnopqrstuvwx';
const STREAM = 'payment-x' as StreamName;
const view = {
  merchant: ACME,
  endpointId: '1001',
  receiptId: ID,
  clientOrderId: 'inv-1',
  orderId: 'p0sample0order1r',
  operation: 'sale',
  status: 'approved',
  amountMinor: '1042',
  currency: 'USD',
  finalAt: 1_704_067_200_000,
  approvalCode: 'A1',
  issuer: null,
  card: { face: { brand: 'VISA', lastFour: '1111' } },
  receipt: { transactionId: 'PNTEST-1', rrn: '123' },
  gate: { descriptor: 'ACME*SHOP' },
  followUps: [],
} as unknown as OrderStatusView;

const world = (ports: Partial<ReceiptPorts> = {}) => {
  const clock = new VirtualClock();
  const deadlineClock = new VirtualClock();
  const errors: unknown[] = [];
  const receipts = new Receipts({
    accounts: {
      merchant: () => ({ name: 'Acme Shop', siteUrl: 'https://shop.example/' }) as unknown as Merchant,
      entryPoint: (_kind, id) =>
        ['1001', '1002', '9001'].includes(id)
          ? ({ kind: 'endpoint', id, merchant: id === '9001' ? 'other' : ACME } as unknown as ReturnType<
              ReceiptPorts['accounts']['entryPoint']
            >)
          : undefined,
    },
    search: { streamsNamed: (id) => Promise.resolve(id === ID ? [STREAM] : []) },
    searchedUpTo: () => Promise.resolve('5' as Position),
    log: { head: () => Promise.resolve('5' as Position), comparePositions: (a, b) => Number(a) - Number(b) },
    orders: { ofStream: () => Promise.resolve(view) },
    sealer: { unseal: () => Promise.resolve(packTexts({ description: 'Two pairs of shoes' })) },
    scheduler: clock,
    deadlines: new RequestDeadlines(deadlineClock, deadlineClock),
    onError: (error) => errors.push(error),
    ...ports,
  });
  return { clock, deadlineClock, receipts, errors };
};

describe('a receipt (protocol decisions, D1.2)', () => {
  it('is found by its endpoint and its receipt id', async () => {
    await expect(world().receipts.find('1001', ID)).resolves.toMatchObject({
      descriptor: 'ACME*SHOP',
      description: 'Two pairs of shoes',
      merchantName: 'Acme Shop',
      siteUrl: 'https://shop.example/',
      operation: { type: 'sale', amount: '10.42', currency: 'USD', date: '2024-01-01 00:00:00 UTC', approvalCode: 'A1' },
      card: { type: 'VISA', lastFour: '1111' },
    });
  });

  it('has no descriptor if it is only the gate’s alias', async () => {
    const unnamed = { ...view, gate: { alias: 'sim-a', descriptor: 'sim-a' } } as unknown as OrderStatusView;
    const receipt = await world({ orders: { ofStream: () => Promise.resolve(unnamed) } }).receipts.find('1001', ID);
    expect(receipt).toMatchObject({ merchantName: 'Acme Shop', descriptor: undefined });
  });

  it('masks a card number in the description, even between several blanks', async () => {
    const sealer = { unseal: () => Promise.resolve(packTexts({ description: 'Paid by 4111    1111    1111    1111, thank you' })) };
    const { receipts } = world({ sealer });
    await expect(receipts.find('1001', ID)).resolves.toMatchObject({ description: 'Paid by [card number], thank you' });
  });

  it('has no description while the vault is unavailable, which is reported', async () => {
    const away = new Error('away');
    const { receipts, errors } = world({ sealer: { unseal: () => Promise.reject(away) } });
    await expect(receipts.find('1001', ID)).resolves.toMatchObject({ description: undefined, orderId: 'p0sample0order1r' });
    expect(errors).toStrictEqual([away]);
  });

  it('lists approved and open follow-ups but no declined ones [W500]', async () => {
    const followUp = { operation: 'reversal', amountMinor: '100', finalAt: 1_704_067_260_000, approvalCode: 'R1' };
    const followUps = [
      { ...followUp, status: 'declined', approvalCode: null },
      { ...followUp, status: 'approved' },
      { ...followUp, status: 'unknown', finalAt: null, approvalCode: null },
    ];
    const { receipts } = world({ orders: { ofStream: () => Promise.resolve({ ...view, followUps } as unknown as OrderStatusView) } });
    await expect(receipts.find('1001', ID)).resolves.toMatchObject({
      followUps: [
        { type: 'reversal', status: 'approved', amount: '1.00', currency: 'USD', date: '2024-01-01 00:01:00 UTC', approvalCode: 'R1' },
        { type: 'reversal', status: 'processing', amount: '1.00', currency: 'USD' },
      ],
    });
  });

  it('has no amount for an account verification', async () => {
    const verification = { ...view, operation: 'account-verification' as const, amountMinor: '0' };
    const { receipts } = world({ orders: { ofStream: () => Promise.resolve(verification) } });
    const receipt = await receipts.find('1001', ID);
    if (typeof receipt === 'string') throw new Error(receipt);
    expect(receipt.operation.amount).toBeUndefined();
    expect(receiptPage(receipt)).not.toContain('Amount');
  });

  it.each([
    ['at another endpoint of the merchant', '1002', ID],
    ['at another merchant’s endpoint', '9001', ID],
    ['at an endpoint that does not exist', '7777', ID],
    ['of another id', '1001', 'x'.repeat(24)],
    ['of another shape', '1001', '../../etc/passwd'],
  ])('is unknown %s (safety, T11)', async (_, endpointId, receiptId) => {
    await expect(world().receipts.find(endpointId, receiptId)).resolves.toBe('unknown');
  });

  it('is found after the read model has caught up', async () => {
    let projected = 3;
    const { clock, receipts } = world({
      search: { streamsNamed: () => Promise.resolve(projected >= 5 ? [STREAM] : []) },
      searchedUpTo: () => Promise.resolve(String(projected) as Position),
    });
    const found = receipts.find('1001', ID);
    await clock.advance(120);
    projected = 5;
    await clock.advance(50);
    await expect(found).resolves.toMatchObject({ receiptId: ID });
  });

  it('is unavailable after one second if the search lags behind the log', async () => {
    const { clock, receipts, errors } = world({
      search: { streamsNamed: () => Promise.resolve([]) },
      searchedUpTo: () => Promise.resolve(undefined),
    });
    const found = receipts.find('1001', ID);
    await clock.advance(1_000);
    await expect(found).resolves.toBe('unavailable');
    expect(errors).toStrictEqual([new Error('the search of orders is behind the log')]);
  });

  it('needs at most two searches for an unknown id, and concurrent requests share position polls', async () => {
    const queries = { search: 0, position: 0 };
    const { clock, receipts } = world({
      search: { streamsNamed: () => Promise.resolve((queries.search++, [])) },
      searchedUpTo: () => Promise.resolve((queries.position++, '3' as Position)),
    });
    const found = Promise.all(Array.from({ length: 100 }, () => receipts.find('1001', 'x'.repeat(24))));
    await clock.advance(1_000);
    expect(new Set(await found)).toStrictEqual(new Set(['unavailable']));
    expect(queries.search).toBeLessThanOrEqual(200);
    expect(queries.position).toBeLessThanOrEqual(20);
  });

  it('is unavailable if a store is unavailable, which is reported', async () => {
    const away = new Error('away');
    const { receipts, errors } = world({ search: { streamsNamed: () => Promise.reject(away) } });
    await expect(receipts.find('1001', ID)).resolves.toBe('unavailable');
    expect(errors).toStrictEqual([away]);
  });

  it.each<[string, Partial<ReceiptPorts>]>([
    ['the read model', { search: { streamsNamed: () => new Promise(() => undefined) } }],
    ['the head of the log', { search: { streamsNamed: () => Promise.resolve([]) }, log: { head: () => new Promise(() => undefined), comparePositions: () => 0 } }], // prettier-ignore
    ['the order’s stream', { orders: { ofStream: () => new Promise(() => undefined) } }],
  ])('is unavailable within ten seconds if %s does not respond', async (_, ports) => {
    const { deadlineClock, receipts, errors } = world(ports);
    const found = receipts.find('1001', ID);
    await deadlineClock.advance(9_999);
    await expect(found).resolves.toBe('unavailable');
    expect(errors).toStrictEqual([expect.any(StoreUnavailable)]);
  });
});
