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

describe('the page that takes a payer to the authentication', () => {
  it('posts the form that the gate wants', async () => {
    const { html, policy } = await shown({ action: 'https://acs.example/?a=1&b=2', fields: { PaReq: 'x"y' } });
    expect(html).toContain('<form method="post" action="https://acs.example/?a=1&amp;b=2">');
    expect(html).toContain('<input type="hidden" name="PaReq" value="x&quot;y">');
    expect(policy).toBe(FORM_PAGE_POLICY);
  });

  it('opens the address that the gate names, with every value of its query, and names the merchant', async () => {
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

  it('is the gate’s own where it wrote one, which reaches nothing of ours', async () => {
    const html = '<!doctype html><script>go()</script>';
    expect(await shown({ html })).toEqual({ html, policy: expect.stringContaining('sandbox') as string });
    const { policy } = await shown({ html });
    expect(policy).not.toContain('allow-same-origin');
  });

  it('is none once the texts of the order were erased', async () => {
    expect(await pageOf(undefined)).toBeUndefined();
  });
});
