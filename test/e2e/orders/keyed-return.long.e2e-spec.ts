import { amountFollowUpControl } from '@app/gateway-protocol';
import { formatAmount, type OrderId } from '@app/kernel';
import { Merchant, type Answer } from '../../support/merchants/merchant';
import type { Order } from '../../support/merchants/signed-requests';
import { API, Replicas, WORKER } from '../../support/processes/replicas';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { until } from '../../support/until';

jest.setTimeout(60_000);

/** A partial return (decisions, section 10). Two equal ones may both be intended, so only a key makes one a repeat. */
const give = (
  acme: Merchant,
  { clientOrderId, orderId }: Order,
  minor: bigint,
  amount: string,
  key?: string,
  through = acme,
): Promise<Answer> => {
  const named = { login: acme.login, clientOrderId, orderId };
  const control = amountFollowUpControl(named, { amountMinor: minor, currency: 'USD' }, acme.key);
  const fields = { login: acme.login, client_orderid: clientOrderId, orderid: orderId, amount, currency: 'USD', control };
  return through.post('return', fields, key === undefined ? {} : { headers: { 'idempotency-key': key } });
};

it('one of several simultaneous equal returns is accepted under one key, and without a key all within the remaining amount [W485, W519]', async () => {
  const service = await Service.start({ configuration: sandboxConfiguration() });
  try {
    const acme = new Merchant(service);
    const order = await acme.approvedSale({ amount: '10.00' });
    const answers = await Promise.all(Array.from({ length: 20 }, () => give(acme, order, 300n, '3.00', 'k1')));
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
    expect(answers[0]?.fields).toMatchObject({ type: 'async-response', 'end-point-id': '1001' });
    const serial = answers[0]?.fields['serial-number'] ?? '';
    expect((await acme.status(order, { 'by-request-sn': serial })).fields).toMatchObject({
      'transaction-type': 'reversal',
      amount: '10.00',
    });
    expect((await give(acme, order, 301n, '3.01', 'k1')).fields).toMatchObject({ 'error-code': '7' });
    expect((await give(acme, order, 800n, '8.00', 'k2')).fields).toMatchObject({ 'error-code': '9' });
    const second = await give(acme, order, 300n, '3.00', 'k2');
    expect(second.fields['serial-number']).not.toBe(serial);
    expect(second.fields).toMatchObject({ type: 'async-response' });
    const third = await give(acme, order, 300n, '3.00');
    expect(third.fields).toMatchObject({ type: 'async-response' });
    expect((await give(acme, order, 300n, '3.00')).fields).toMatchObject({ 'error-code': '9' });
    expect((await give(acme, order, 300n, '3.00', 'k1')).body).toBe(answers[0]?.body);
    const ledger = service.ledger();
    expect(ledger.violations()).toStrictEqual([]);
    ledger.close();
  } finally {
    await service.dispose();
  }
});

it('equal returns under one key at two processes are accepted once', async () => {
  const replicas = await Replicas.start({ configuration: sandboxConfiguration(), processes: [API, API, WORKER] });
  try {
    const merchants = [0, 1].map((index) => new Merchant(replicas.at(index)));
    const [acme] = merchants;
    if (acme === undefined) throw new Error('no process');
    const order = await acme.approvedSale({ amount: '100.00' });
    for (let burst = 0; burst < 10; burst++) {
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, i) => give(acme, order, 1000n, '10.00', `b-${burst}`, merchants[i % 2] ?? acme)),
      );
      expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
      expect(answers[0]?.fields).toMatchObject({ type: 'async-response' });
    }
    expect((await give(acme, order, 1n, '0.01')).fields['error-code']).toMatch(/9|11/);
  } finally {
    await replicas.dispose();
  }
});

// The worker may already have begun. If the gate never received the return, it ends as not submitted and no money moved.
it.each(['P3', 'P4'])(
  "a repeat after a kill at %s is the same return, and the remaining amount matches the gate's refunds",
  async (FAILPOINT) => {
    const doomed = await Service.start({ configuration: sandboxConfiguration(), stores: 'files' });
    try {
      const acme = new Merchant(doomed);
      const order = await acme.approvedSale({ amount: '10.00' });
      await doomed.restart({ FAILPOINT });
      await give(acme, order, 300n, '3.00', 'k1').catch(() => undefined);
      await doomed.kill().catch(() => undefined);
      await doomed.restart({});
      const first = await give(acme, order, 300n, '3.00', 'k1');
      expect((await give(acme, order, 300n, '3.00', 'k1')).body).toBe(first.body);
      expect(first.fields).toMatchObject({ type: 'async-response' });
      const ended = await until(
        async () => {
          const status = (await acme.status(order, { 'by-request-sn': first.fields['serial-number'] })).fields['status'];
          return status !== 'processing' && status;
        },
        { what: 'return' },
      );
      const ledger = doomed.ledger();
      const moved = ledger.followUps(order.orderId as OrderId).reduce((sum, { amount }) => sum + amount.minor, 0n);
      expect(ledger.violations()).toStrictEqual([]);
      ledger.close();
      expect({ ended, moved }).toStrictEqual(ended === 'approved' ? { ended, moved: 300n } : { ended: 'error', moved: 0n });
      const left = 1000n - moved;
      expect((await give(acme, order, left + 1n, formatAmount(left + 1n))).fields['error-code']).toBe('9');
      expect((await give(acme, order, left, formatAmount(left))).fields).toMatchObject({ type: 'async-response' });
    } finally {
      await doomed.dispose();
    }
  },
);
