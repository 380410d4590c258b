import { accountVerificationControl, initialPaymentControl, rebillControl } from '@app/gateway-protocol';
import { groupAUnderTest, INITIAL, KEY, ORDER_ID, PAID, REBILL, SIGNED_REBILL, signedNames } from '../testing/group-a-fixture';

const groupA = groupAUnderTest();
const { handled, post } = groupA;

describe('preauth (protocol decisions, section 10)', () => {
  it('has the signature and fields of a sale but a different operation and content digest [W173, W463]', async () => {
    const control = initialPaymentControl({ entryPoint: '1001', amountMinor: 1_042n, ...signedNames }, KEY);
    const answer = await post('preauth/endpoint/1001', { ...PAID, control });
    expect(answer).toMatchObject({
      type: 'async-response',
      'merchant-order-id': 'o-1',
      'paynet-order-id': ORDER_ID,
      'end-point-id': '1001',
    });
    await post('sale/endpoint/1001', { ...PAID, control });
    const [preauth, sale] = handled;
    expect(preauth).toMatchObject({
      operation: 'preauth',
      amount: { minor: 1_042n, currency: 'EUR' },
      offer: { plan: { operation: 'preauth' } },
    });
    expect(sale).toMatchObject({ operation: 'sale' });
    expect(preauth?.['contentDigest']).not.toBe(sale?.['contentDigest']);
  });

  it('ignores additional zero decimals of an amount in checksum and content digest [W494]', async () => {
    const control = initialPaymentControl({ entryPoint: '1001', amountMinor: 1_042n, ...signedNames }, KEY);
    for (const amount of ['10.42', '10.4200', '10.42000000']) await post('sale/endpoint/1001', { ...PAID, amount, control });
    expect(handled).toMatchObject([{ amount: { minor: 1_042n } }, { amount: { minor: 1_042n } }, { amount: { minor: 1_042n } }]);
    expect(new Set(handled.map(({ contentDigest }) => contentDigest)).size).toBe(1);
    for (const amount of ['10.4201', '10.42000000000000'])
      expect(await post('sale/endpoint/1001', { ...PAID, amount, control })).toMatchObject({ 'error-code': '1' });
  });

  it('is refused if the entry point does not list the operation', async () => {
    const control = initialPaymentControl({ entryPoint: '1002', amountMinor: 1_042n, ...signedNames }, KEY);
    await post('preauth/endpoint/1002', { ...PAID, currency: 'USD', control });
    expect(handled).toMatchObject([{ offer: { kind: 'refused', reason: 'operation-not-offered' } }]);
  });
});

describe('account verification (protocol decisions, sections 1, 5 and 10)', () => {
  const control = (entryPoint: string) => accountVerificationControl({ entryPoint, ...signedNames }, KEY);

  it('omits the amount from its signature and its order and needs no phone [W467]', async () => {
    const answer = await post('account-verification/endpoint/1001', { ...INITIAL, control: control('1001') });
    expect(answer).toMatchObject({ type: 'async-response', 'end-point-id': '1001' });
    expect(handled).toMatchObject([
      { operation: 'account-verification', amount: { minor: 0n, currency: 'EUR' }, customer: { holder: 'JOHN SMITH' } },
    ]);
    expect(handled[0]?.['customer']).not.toHaveProperty('phone');
  });

  it('uses the first endpoint of a group and signs the id of the group [W174]', async () => {
    expect(await post('account-verification/group/2001', { ...INITIAL, control: control('1001') })).toMatchObject({ 'error-code': '2' });
    expect(await post('account-verification/group/2001', { ...INITIAL, control: control('2001') })).toMatchObject({
      type: 'async-response',
    });
    expect(handled).toMatchObject([{ amount: { currency: 'EUR' }, offer: { kind: 'served', endpointId: '1001' } }]);
  });

  it('requires the CVV and ignores an amount [W466, W467]', async () => {
    const { cvv2: _cvv2, ...rest } = INITIAL;
    expect(await post('account-verification/endpoint/1001', { ...rest, control: control('1001') })).toMatchObject({
      'error-code': '1',
      'error-message': 'cvv2 is required',
    });
    expect(await post('account-verification/endpoint/1001', { ...INITIAL, amount: 'x', control: control('1001') })).toMatchObject({
      type: 'async-response',
    });
  });
});

describe('recurrent payment and pre-authorisation (interface, section 2.4; protocol decisions, section 7)', () => {
  const control = rebillControl(SIGNED_REBILL, KEY);

  it.each([
    ['make-rebill-sale', 'sale'],
    ['make-rebill-preauth', 'preauth'],
  ])('%s is a %s at the gate [W169]', async (name, operation) => {
    const answer = await post(`${name}/endpoint/1001`, { ...REBILL, control });
    expect(answer).toMatchObject({ type: 'async-response', 'paynet-order-id': ORDER_ID });
    expect(answer).not.toHaveProperty('end-point-id');
    expect(handled).toMatchObject([{ operation, offer: { plan: { operation } } }]);
    expect(handled[0]).not.toHaveProperty('amounts');
  });

  it('keeps the order of enumerate_amounts, which the checksum does not cover [W355]', async () => {
    await post('make-rebill-sale/endpoint/1001', { ...REBILL, enumerate_amounts: '10.42,5,0.5', control });
    const amounts = [1_042n, 500n, 50n].map((minor) => ({ minor, currency: 'EUR' }));
    expect(handled).toMatchObject([{ amount: { minor: 1_042n }, amounts }]);
  });

  it('ignores additional zero decimals of enumerate_amounts in the content digest [W494]', async () => {
    for (const enumerate_amounts of ['10.42,5.00', '10.4200,5.0000'])
      await post('make-rebill-sale/endpoint/1001', { ...REBILL, enumerate_amounts, control });
    expect(handled[0]?.['contentDigest']).toBe(handled[1]?.['contentDigest']);
  });

  it('accepts a checksum with or without the entry point if the merchant has no setting for it [W495]', async () => {
    for (const form of ['with-endpoint', 'without-endpoint'] as const) {
      const answer = await post('make-rebill-sale/endpoint/1001', { ...REBILL, control: rebillControl(SIGNED_REBILL, KEY, form) });
      expect(answer).toMatchObject({ type: 'async-response' });
    }
  });

  it.each(['', '10.42', '5,10.42'])('has a different content digest for other enumerate_amounts: %j', async (enumerate_amounts) => {
    await post('make-rebill-sale/endpoint/1001', { ...REBILL, enumerate_amounts: '10.42,5', control });
    await post('make-rebill-sale/endpoint/1001', { ...REBILL, enumerate_amounts, control });
    expect(handled[0]?.['contentDigest']).not.toBe(handled[1]?.['contentDigest']);
  });
});
