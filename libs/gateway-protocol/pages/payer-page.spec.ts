import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { codePoint } from '@app/testing/any-text';
import { escapeHtml, PAGE_STYLE } from './page';
import { autoSubmittingPage, FORM_PAGE_POLICY, messagePage, PAGE_POLICY } from './payer-page';

const ATTACKS = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' autofocus onfocus='alert(1)",
  '</title><script>alert(1)</script>',
  '</form><form action="https://evil.example">',
  '`onload=alert(1)`',
  '&lt;script&gt;',
  '<!--',
];
const scriptsOf = (page: string): string[] => Array.from(page.matchAll(/<script>(.*?)<\/script>/gs), ([, script]) => script ?? '');
const unescaped = (text: string): string =>
  text.replace(
    /&(lt|gt|quot|amp|#39|#96);/g,
    (_found, name: string) => ({ lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'", '#96': '`' })[name] ?? '',
  );

describe('pages (safety, T20, T21 and T46)', () => {
  it('submits its fields to the action by its own script and shows a message [W577]', () => {
    const page = autoSubmittingPage({
      title: 'Payment approved',
      merchant: 'Acme & Co',
      message: 'You are being taken back to Acme & Co.',
      action: 'https://shop.example/back?a=1&b=2',
      fields: [['status', 'approved'], ['control', 'c0']],
    }); // prettier-ignore
    expect(page).toBe(
      [
        '<!DOCTYPE html>',
        '<html lang="en">',
        '<head>',
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<title>Payment approved · Acme &amp; Co</title>',
        '<meta name="robots" content="noindex">',
        `<style>${PAGE_STYLE}</style>`,
        '</head>',
        '<body>',
        '<header><p>Acme &amp; Co</p></header>',
        '<main>',
        '<h1>Payment approved</h1>',
        '<p role="status">You are being taken back to Acme &amp; Co. If nothing happens, press Continue.</p>',
        '<form method="post" action="https://shop.example/back?a=1&amp;b=2">',
        '<input type="hidden" name="status" value="approved">',
        '<input type="hidden" name="control" value="c0">',
        '<button class="go" type="submit">Continue</button>',
        '</form>',
        '<script>HTMLFormElement.prototype.submit.call(document.forms[0])</script>',
        '</main>',
        '</body>',
        '</html>',
        '',
      ].join('\n'),
    );
  });

  it('accepts as a link only a web address or the page itself', () => {
    const page = (href: string) => messagePage({ title: 'Payment', message: 'Done.', link: { href, text: 'Back to <Acme>' } });
    expect(page('https://shop.example/?a=1&b=2')).toContain(
      '<a class="go" href="https://shop.example/?a=1&amp;b=2">Back to &lt;Acme&gt;</a>',
    );
    expect(page('')).toContain('<a class="go" href="">');
    for (const href of ['javascript:alert(1)', '/relative', 'data:text/html,x'])
      expect(() => page(href)).toThrow('the address of a link must be a web address');
  });

  it("permits only the page's own script and style [W576]", () => {
    const page = autoSubmittingPage({ title: '', message: '', action: 'https://shop.example', fields: [] });
    const [script = ''] = scriptsOf(page);
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(page) ?? [];
    const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
    // No `form-action`: it would block a redirect into a shop's app.
    expect(FORM_PAGE_POLICY).toBe(`default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; base-uri 'none'`);
    expect(PAGE_POLICY).toBe(`${FORM_PAGE_POLICY}; form-action 'none'`);
  });

  it.each(ATTACKS)('escapes %s in title, name and value [W582]', (attack) => {
    const page = autoSubmittingPage({
      title: attack,
      merchant: attack,
      message: attack,
      action: 'https://shop.example',
      fields: [[attack, attack]],
    });
    expect(scriptsOf(page)).toHaveLength(1);
    expect(page.match(/<form /g)).toHaveLength(1);
    expect(page).not.toMatch(/<img|<!--/);
    expect(page).toContain(`name="${escapeHtml(attack)}" value="${escapeHtml(attack)}"`);
    expect(messagePage({ title: attack, merchant: attack, message: attack })).not.toMatch(/<script|<img|<!--|<form/);
  });

  it('escapes every character that ends text or an attribute, without losing text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: codePoint }), fc.constantFrom(...ATTACKS)), (text) => {
        expect(escapeHtml(text)).not.toMatch(/[<>"'`]/);
        expect(unescaped(escapeHtml(text))).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['javascript:alert(1)', '/relative', 'https://user@shop.example', ''])('throws for the form action %j', (action) => {
    expect(() => autoSubmittingPage({ title: '', message: '', action, fields: [] })).toThrow('the action of a form must be a web address');
  });
});
