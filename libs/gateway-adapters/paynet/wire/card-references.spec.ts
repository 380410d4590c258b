import { generateKeyPairSync } from 'node:crypto';
import { isOauthSigned, parseAuthorization, parseForm } from '@app/gateway-protocol';
import { Secret, type Currency, type Instant } from '@app/kernel';
import { createCardRef, createCardRefV4, getCardInfo, makeRebill, type RebillFields } from './card-references';
import type { UpstreamAccount } from './operations';

/** The known answers of protocol decisions, section 5. */
const account: UpstreamAccount = {
  login: 'merchantlogin',
  controlKey: new Secret('B17F59B4-A7DC-41B4-8FF9-37D986B43D20'),
  entryPoint: { kind: 'endpoint', id: '1111' },
};
const grouped: UpstreamAccount = { ...account, entryPoint: { kind: 'group', id: '2222' } };
const order = { clientOrderId: '902B4FF5', orderId: '161944' };
const fields: RebillFields = {
  clientOrderId: 'key-1',
  cardRefId: '1402817',
  amount: { minor: 1_015n, currency: 'USD' as Currency },
  description: 'March & April',
  others: [
    ['cvv2', undefined],
    ['ipaddress', '203.0.113.7'],
    ['recurrent_scenario', 'REGULAR'],
    ['recurrent_initiator', 'MERCHANT'],
  ],
};

describe('a request about a registered card', () => {
  it('of create-card-ref v2 has the control of a status request', () => {
    expect(createCardRef(account, order)).toMatchObject({
      path: '/api/v2/create-card-ref/1111',
      body: 'login=merchantlogin&client_orderid=902B4FF5&orderid=161944&control=1cd4c88052e861c1f56a57ff0d3741c40e4d589f',
    });
    expect(createCardRef(grouped, order).path).toBe('/api/v2/create-card-ref/group/2222');
  });

  it('of create-card-ref v4 has no login or control, and an OAuth signature over address and body', () => {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const signer = { privateKey, baseUrl: 'https://upstream.example/paynet', nonce: 'n-1', now: 1_700_000_000_000 as Instant };
    const { path, headers, body } = createCardRefV4(account, order, signer);
    expect(path).toBe('/api/v4/create-card-ref/1111');
    expect(body).toBe('client_orderid=902B4FF5&orderid=161944');
    const claim = parseAuthorization(headers['authorization'] ?? '');
    if (claim === undefined) throw new Error('no authorization');
    expect(claim).toMatchObject({ consumerKey: 'merchantlogin', nonce: 'n-1', timestampSeconds: 1_700_000_000 });
    const parameters = [
      ['client_orderid', '902B4FF5'],
      ['orderid', '161944'],
    ] as const;
    const target = { method: 'POST', url: 'https://upstream.example/paynet/api/v4/create-card-ref/1111', parameters };
    expect(isOauthSigned(claim, target, publicKey)).toBe(true);
    expect(isOauthSigned(claim, { ...target, url: `${target.url}0` }, publicKey)).toBe(false);
    expect(createCardRefV4(grouped, order, signer).path).toBe('/api/v4/create-card-ref/group/2222');
  });

  it('of get-card-info contains the card reference', () => {
    const { path, body } = getCardInfo(account, '1402817');
    expect(path).toBe('/api/v2/get-card-info/1111');
    expect(body).toMatch(/^login=merchantlogin&cardrefid=1402817&control=[0-9a-f]{40}$/);
  });

  it.each(['sale', 'preauth'] as const)('of a recurrent %s has the interface’s fields and omits absent ones', (operation) => {
    const { path, body } = makeRebill(account, operation, fields, 'without-endpoint');
    expect(path).toBe(`/api/v2/make-rebill-${operation}/1111`);
    const parsed = parseForm(Buffer.from(body));
    if ('refused' in parsed) throw new Error('no form');
    expect(
      Object.fromEntries(
        ['client_orderid', 'login', 'cardrefid', 'order_desc', 'amount', 'currency'].map((name) => [name, parsed.ok.text(name)]),
      ),
    ).toEqual({
      client_orderid: 'key-1',
      login: 'merchantlogin',
      cardrefid: '1402817',
      order_desc: 'March & April',
      amount: '10.15',
      currency: 'USD',
    });
    expect(body).toContain('&ipaddress=203.0.113.7&recurrent_scenario=REGULAR&recurrent_initiator=MERCHANT&control=');
    expect(body).not.toContain('cvv2');
  });

  it('of a recurrent payment has a control with or without the entry point, by configuration', () => {
    const controlOf = (form: 'with-endpoint' | 'without-endpoint', of = account) =>
      /control=(\w+)$/.exec(makeRebill(of, 'sale', fields, form).body)?.[1];
    expect(controlOf('with-endpoint')).not.toBe(controlOf('without-endpoint'));
    expect(controlOf('with-endpoint', grouped)).not.toBe(controlOf('with-endpoint'));
    expect(controlOf('without-endpoint', grouped)).toBe(controlOf('without-endpoint'));
  });
});
