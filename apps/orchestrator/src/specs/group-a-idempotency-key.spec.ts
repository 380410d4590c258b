import { accountVerificationControl, initialPaymentControl, orderControl, rebillControl } from '@app/gateway-protocol';
import { groupAUnderTest, INITIAL, KEY, ORDER_ID, PAID, REBILL, SIGNED_REBILL, signedNames, type Fields } from '../testing/group-a-fixture';

const groupA = groupAUnderTest();
const { post } = groupA;

const OPERATIONS = ['sale', 'preauth', 'account-verification', 'make-rebill-sale', 'make-rebill-preauth', 'capture', 'return', 'void'];

describe('an Idempotency-Key (protocol decisions, section 10)', () => {
  const named = { login: 'acme', clientOrderId: 'pre-1', orderId: ORDER_ID };
  const followUp = { login: 'acme', client_orderid: 'pre-1', orderid: ORDER_ID, control: orderControl(named, KEY) };
  const withAmount = { ...PAID, control: initialPaymentControl({ entryPoint: '1001', amountMinor: 1_042n, ...signedNames }, KEY) };
  const recurrent = { ...REBILL, control: rebillControl(SIGNED_REBILL, KEY) };
  const REQUESTS: Readonly<Record<string, Fields>> = {
    sale: withAmount,
    preauth: withAmount,
    'account-verification': { ...INITIAL, control: accountVerificationControl({ entryPoint: '1001', ...signedNames }, KEY) },
    'make-rebill-sale': recurrent,
    'make-rebill-preauth': recurrent,
    capture: followUp,
    return: followUp,
    void: followUp,
  };

  it.each(OPERATIONS)(
    'on a repeated %s returns the first response with its serial, and a malformed key returns code 1 [W513]',
    async (name) => {
      const fields = REQUESTS[name] ?? {};
      const sent = { 'idempotency-key': `key-of-${name}` };
      const first = await post(`${name}/endpoint/1001`, fields, sent);
      expect(first).toMatchObject({ type: 'async-response' });
      expect(await post(`${name}/endpoint/1001`, fields, sent)).toStrictEqual(first);
      expect(await post(`${name}/endpoint/1001`, fields, { 'idempotency-key': '"' })).toMatchObject({
        'error-code': '1',
        'error-message': expect.stringContaining('Idempotency-Key') as string,
      });
    },
  );
});
