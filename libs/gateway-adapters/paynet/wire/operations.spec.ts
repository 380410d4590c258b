import { Secret, type Currency } from '@app/kernel';
import { accountVerification, amountFollowUp, initialPayment, orderStatus, voidOrder, type UpstreamAccount } from './operations';

/** The known answers of protocol decisions, section 5. */
const account: UpstreamAccount = {
  login: 'merchantlogin',
  controlKey: new Secret('B17F59B4-A7DC-41B4-8FF9-37D986B43D20'),
  entryPoint: { kind: 'endpoint', id: '1111' },
};
const order = { clientOrderId: '902B4FF5', orderId: '161944' };
const usd = (minor: bigint) => ({ minor, currency: 'USD' as Currency });
const ofOrder = '1cd4c88052e861c1f56a57ff0d3741c40e4d589f';

describe('a request to an upstream gateway', () => {
  it('of a sale or preauth has a control over entry point, client_orderid, amount and email', () => {
    const fields = {
      clientOrderId: '902B4FF5',
      email: 'john.smith@gmail.com',
      others: [
        ['cvv2', undefined],
        ['order_desc', 'a&b'],
      ] as const,
    };
    const sale = initialPayment(account, 'sale', fields, usd(1_042n));
    expect(sale).toEqual({
      method: 'POST',
      path: '/api/v2/sale/1111',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'client_orderid=902B4FF5&amount=10.42&currency=USD&email=john.smith%40gmail.com&order_desc=a%26b&control=c6bdd88a78834ef4b863b088827a459f039e8257',
    });
    expect(initialPayment(account, 'preauth', fields, usd(1_042n))).toEqual({ ...sale, path: '/api/v2/preauth/1111' });
  });

  it('of an account verification has a control without an amount', () => {
    const { path, body } = accountVerification(account, { clientOrderId: '902B4FF5', email: undefined, others: [] });
    expect(path).toBe('/api/v2/account-verification/1111');
    expect(body).toMatch(/^client_orderid=902B4FF5&control=[0-9a-f]{40}$/);
  });

  it('of a status contains the order, and optionally the serial number of one request', () => {
    expect(orderStatus(account, order).body).toBe(`login=merchantlogin&client_orderid=902B4FF5&orderid=161944&control=${ofOrder}`);
    expect(orderStatus(account, order, '00-1').body).toBe(
      `login=merchantlogin&client_orderid=902B4FF5&orderid=161944&by-request-sn=00-1&control=${ofOrder}`,
    );
  });

  it('of a status may identify the order only by its client_orderid', () => {
    expect(orderStatus(account, { ...order, orderId: '' }).body).toMatch(
      /^login=merchantlogin&client_orderid=902B4FF5&orderid=&control=[0-9a-f]{40}$/,
    );
  });

  it('of a void has a status request’s control, and of a capture or return one that also covers the amount', () => {
    expect(voidOrder(account, order, undefined)).toMatchObject({
      path: '/api/v2/void/1111',
      body: expect.stringContaining(ofOrder) as string,
    });
    const [capture, refund] = (['capture', 'return'] as const).map((operation) =>
      amountFollowUp(account, operation, order, usd(5n), undefined),
    );
    expect(capture?.body).toMatch(
      /^login=merchantlogin&client_orderid=902B4FF5&orderid=161944&amount=0\.05&currency=USD&control=[0-9a-f]{40}$/,
    );
    expect(refund).toEqual({ ...capture, path: '/api/v2/return/1111' });
    expect(capture?.body).not.toContain(ofOrder);
  });

  it('of a follow-up has its idempotency key as a quoted header', () => {
    expect(voidOrder(account, order, 'k-1').headers).toEqual({
      'content-type': 'application/x-www-form-urlencoded',
      'idempotency-key': '"k-1"',
    });
    expect(amountFollowUp(account, 'return', order, usd(5n), 'k-1').headers['idempotency-key']).toBe('"k-1"');
  });

  it('of a group account uses the group path and a control over the group’s id', () => {
    const grouped: UpstreamAccount = { ...account, entryPoint: { kind: 'group', id: '1111' } };
    const fields = { clientOrderId: '902B4FF5', email: 'john.smith@gmail.com', others: [] };
    const { path, body } = initialPayment(grouped, 'sale', fields, usd(1_042n));
    expect(path).toBe('/api/v2/sale/group/1111');
    expect(body).toContain('control=c6bdd88a78834ef4b863b088827a459f039e8257');
  });
});
