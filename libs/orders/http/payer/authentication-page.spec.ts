import type { MerchantLogin, Sealed } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import type { PayerPage as GatePage } from '@app/gateway-adapters/contract';
import { FORM_PAGE_POLICY } from '@app/gateway-protocol';
import { authenticationPage } from './order-page';

const MERCHANT = { login: 'acme' as MerchantLogin, name: 'Acme & Co' };
const pageOf = (text: string | undefined) =>
  authenticationPage({ unseal: () => Promise.resolve(text) } as unknown as OrderSealer, { merchant: MERCHANT, sealed: 'sealed' as Sealed });
const shown = async (page: GatePage) => {
  const made = await pageOf(JSON.stringify(page));
  if (made === undefined) throw new Error('no page');
  return made;
};

describe('the authentication page for the payer', () => {
  it('posts the gate’s form', async () => {
    const { html, policy } = await shown({ action: 'https://acs.example/?a=1&b=2', fields: { PaReq: 'x"y' } });
    expect(html).toContain('<form method="post" action="https://acs.example/?a=1&amp;b=2">');
    expect(html).toContain('<input type="hidden" name="PaReq" value="x&quot;y">');
    expect(policy).toBe(FORM_PAGE_POLICY);
  });

  it('opens the gate’s address with every query value and shows the merchant’s name', async () => {
    const { html, policy } = await shown({ address: 'https://upstream.example:8443/payer/1?step=1&step=2&to=a%26b#top' });
    expect(html).toContain('<form method="get" action="https://upstream.example:8443/payer/1">');
    for (const [name, value] of [
      ['step', '1'],
      ['step', '2'],
      ['to', 'a&amp;b'],
    ])
      expect(html).toContain(`<input type="hidden" name="${name}" value="${value}">`);
    expect(html).toContain('Acme &amp; Co');
    expect(policy).toBe(FORM_PAGE_POLICY);
  });

  it('is the gate’s own HTML in a sandbox without our origin', async () => {
    const html = '<!doctype html><script>go()</script>';
    expect(await shown({ html })).toEqual({ html, policy: expect.stringContaining('sandbox') as string });
    const { policy } = await shown({ html });
    expect(policy).not.toContain('allow-same-origin');
  });

  it('is undefined if the texts of the order were erased', async () => {
    expect(await pageOf(undefined)).toBeUndefined();
  });
});
