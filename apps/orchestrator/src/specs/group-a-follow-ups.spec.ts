import { amountFollowUpControl, orderControl } from '@app/gateway-protocol';
import { groupAUnderTest, KEY, ORDER_ID, type Fields } from '../testing/group-a-fixture';

const groupA = groupAUnderTest();
const { handled, post } = groupA;

describe('follow-ups (protocol decisions, sections 5 and 10)', () => {
  const NAMED = { login: 'acme', client_orderid: 'pre-1', orderid: ORDER_ID };
  const named = { login: 'acme', clientOrderId: 'pre-1', orderId: ORDER_ID };
  const bare = orderControl(named, KEY);
  const partial = { amount: '4.20', currency: 'EUR', control: amountFollowUpControl(named, { amountMinor: 420n, currency: 'EUR' }, KEY) };
  const inFull = amountFollowUpControl(named, { amountMinor: 1_042n, currency: 'EUR' }, KEY);

  it.each(['capture', 'return', 'void'])(
    "%s without an amount uses the order's checksum and applies to the full remaining amount [W175, W483]",
    async (name) => {
      const answer = await post(`${name}/endpoint/1001`, { ...NAMED, control: bare });
      expect(answer).toMatchObject({ type: 'async-response', 'paynet-order-id': ORDER_ID, 'end-point-id': '1001' });
      const serial = answer['serial-number'];
      const request = { serial, callerTrace: undefined, deadline: expect.objectContaining({ isOver: false }) as unknown };
      expect(handled).toStrictEqual([{ merchant: 'acme', clientOrderId: 'pre-1', orderId: ORDER_ID, kind: name, ...request }]);
    },
  );

  it.each(['capture', 'return'])('%s with an amount signs amount and currency [W298]', async (name) => {
    expect(await post(`${name}/endpoint/1001`, { ...NAMED, ...partial })).toMatchObject({ type: 'async-response' });
    expect(handled).toMatchObject([{ kind: name, amount: { minor: 420n, currency: 'EUR' } }]);
    for (const change of [{ amount: '4.21' }, { currency: 'USD' }, { control: bare }, { amount: undefined, currency: undefined }]) {
      expect([change, await post(`${name}/endpoint/1001`, { ...NAMED, ...partial, ...change })]).toMatchObject([
        change,
        { 'error-code': '2' },
      ]);
    }
  });

  it.each(['capture', 'return', 'void'])(
    '%s accepts an orderid and a checksum that end with the line feed of our response [W496]',
    async (name) => {
      const orderid = `${ORDER_ID}\n`;
      const control = orderControl({ ...named, orderId: orderid }, KEY);
      expect(await post(`${name}/endpoint/1001`, { ...NAMED, orderid, control })).toMatchObject({ type: 'async-response' });
      expect(await post(`${name}/endpoint/1001`, { ...NAMED, orderid, control: bare })).toMatchObject({ type: 'async-response' });
      expect(handled).toMatchObject([
        { orderId: ORDER_ID, kind: name },
        { orderId: ORDER_ID, kind: name },
      ]);
      // The signature covers the exact text, including white space.
      for (const other of [ORDER_ID, `${ORDER_ID} `, `\n${ORDER_ID}`, `${ORDER_ID}\n\n`])
        expect([other, await post(`${name}/endpoint/1001`, { ...NAMED, orderid: other, control })]).toMatchObject([
          other,
          { 'error-code': '2' },
        ]);
      expect(await post(`${name}/endpoint/1001`, { ...NAMED, login: 'nobody', orderid, control })).toMatchObject({ 'error-code': '2' });
    },
  );

  it("a full capture may be signed with that line feed and the order's amount [W496]", async () => {
    const orderid = `${ORDER_ID}\n`;
    const control = amountFollowUpControl({ ...named, orderId: orderid }, { amountMinor: 1_042n, currency: 'EUR' }, KEY);
    expect(await post('capture/endpoint/1001', { ...NAMED, orderid, control })).toMatchObject({ type: 'async-response' });
  });

  it('a return passes its comment to the handler [W480]', async () => {
    await post('return/endpoint/1001', { ...NAMED, comment: 'too small', control: bare });
    expect(handled).toMatchObject([{ comment: 'too small' }]);
  });

  it('a void ignores an amount', async () => {
    expect(await post('void/endpoint/1001', { ...NAMED, amount: 'x', control: bare })).toMatchObject({ type: 'async-response' });
    expect(handled[0]).not.toHaveProperty('amount');
  });

  it("only a full capture may be signed with the order's amount and currency without sending them [W299]", async () => {
    expect(await post('capture/endpoint/1001', { ...NAMED, control: inFull })).toMatchObject({ type: 'async-response' });
    expect(handled[0]).not.toHaveProperty('amount');
    for (const name of ['return', 'void'])
      expect(await post(`${name}/endpoint/1001`, { ...NAMED, control: inFull })).toMatchObject({ 'error-code': '2' });
    const unknown = { ...NAMED, client_orderid: 'pre-2' };
    const nothing = amountFollowUpControl({ ...named, clientOrderId: 'pre-2' }, { amountMinor: 0n, currency: '' }, KEY);
    expect(await post('capture/endpoint/1001', { ...unknown, control: nothing })).toMatchObject({ 'error-code': '2' });
  });

  it.each<[string, Fields, string, string]>([
    ['a malformed amount, before its checksum is checked, [W268]', { amount: '4,20', control: 'x' }, '1', 'amount'],
    [
      'an amount without currency',
      { amount: '4.20', control: amountFollowUpControl(named, { amountMinor: 420n, currency: '' }, KEY) },
      '1',
      'currency',
    ],
    ['a currency without amount', { currency: 'EUR', control: bare }, '1', 'amount'],
    ['no orderid', { orderid: undefined, control: orderControl({ ...named, orderId: '' }, KEY) }, '1', 'orderid'],
    ['an orderid of no shape', { orderid: '12', control: orderControl({ ...named, orderId: '12' }, KEY) }, '3', 'Order not found'],
    ['an unknown login', { login: 'nobody', control: bare }, '2', 'INVALID_CONTROL_CODE'],
  ])('%s is rejected', async (_what, fields, code, words) => {
    const answer = await post('capture/endpoint/1001', { ...NAMED, ...fields });
    expect(answer).toMatchObject({
      type: 'validation-error',
      'error-code': code,
      'error-message': expect.stringContaining(words) as string,
    });
    expect(handled).toStrictEqual([]);
  });

  it.each([
    ['order-unknown', '3'],
    ['order-not-final', '4'],
    ['operation-not-possible', '11'],
    ['operation-not-supported', '10'],
    ['amount-out-of-range', '9'],
    ['currency-not-served', '8'],
    ['gate-not-configured', '10'],
  ] as const)('%s is code %s [W259]', async (reason, code) => {
    groupA.followUpOutcome = { reason };
    expect(await post('return/endpoint/1001', { ...NAMED, control: bare })).toMatchObject({ type: 'validation-error', 'error-code': code });
  });

  it('an order whose gate is no longer configured returns code 10 with that reason', async () => {
    groupA.followUpOutcome = { reason: 'gate-not-configured' };
    expect(await post('return/endpoint/1001', { ...NAMED, control: bare })).toMatchObject({
      type: 'validation-error',
      'error-message': 'The gate of the order is not connected any more',
      'error-code': '10',
    });
  });

  it('an entry point without the operation returns code 10, and another one of the merchant serves it [W175, W185, W261]', async () => {
    expect(await post('capture/endpoint/1002', { ...NAMED, control: bare })).toMatchObject({ 'error-code': '10' });
    expect(handled).toStrictEqual([]);
    expect(await post('capture/group/2001', { ...NAMED, control: bare })).toMatchObject({ type: 'async-response' });
  });

  it('two equal returns share a serial with the same key and have different serials without a key [W485]', async () => {
    const key = { 'idempotency-key': '"return-1"' };
    const first = await post('return/endpoint/1001', { ...NAMED, ...partial }, key);
    // This log holds no return, so the handler is called again, under the recorded serial.
    expect(await post('return/endpoint/1001', { ...NAMED, ...partial }, { 'idempotency-key': 'return-1' })).toStrictEqual(first);
    const other = await post('return/endpoint/1001', { ...NAMED, ...partial });
    expect(other['serial-number']).not.toBe(first['serial-number']);
    expect(handled.map(({ serial }) => serial)).toStrictEqual([first['serial-number'], first['serial-number'], other['serial-number']]);
  });

  it('a malformed Idempotency-Key returns code 1 and calls no handler', async () => {
    const answer = await post('return/endpoint/1001', { ...NAMED, control: bare }, { 'idempotency-key': '""' });
    expect(answer).toMatchObject({ 'error-code': '1', 'error-message': expect.stringContaining('Idempotency-Key') as string });
    expect(await post('return/endpoint/1001', { ...NAMED, control: 'x' }, { 'idempotency-key': '""' })).toMatchObject({
      'error-code': '2',
    });
    expect(handled).toStrictEqual([]);
  });
});
