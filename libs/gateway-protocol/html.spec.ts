import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { codePoint } from '@app/testing/any-text';
import { autoSubmittingPage, escapeHtml, messagePage, PAGE_POLICY } from './html';

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
  it('is a complete page that posts its fields to the action by its own script', () => {
    const page = autoSubmittingPage({ title: 'Back to the shop', action: 'https://shop.example/back?a=1&b=2', fields: [['status', 'approved'], ['control', 'c0']] }); // prettier-ignore
    expect(page).toBe(
      [
        '<!DOCTYPE html>',
        '<html lang="en">',
        '<head>',
        '<meta charset="utf-8">',
        '<title>Back to the shop</title>',
        '</head>',
        '<body>',
        '<form method="post" action="https://shop.example/back?a=1&amp;b=2">',
        '<input type="hidden" name="status" value="approved">',
        '<input type="hidden" name="control" value="c0">',
        '<noscript><button type="submit">Continue</button></noscript>',
        '</form>',
        '<script>HTMLFormElement.prototype.submit.call(document.forms[0])</script>',
        '</body>',
        '</html>',
        '',
      ].join('\n'),
    );
  });

  it('allows the page its own script and nothing else', () => {
    const [script = ''] = scriptsOf(autoSubmittingPage({ title: '', action: 'https://shop.example', fields: [] }));
    expect(PAGE_POLICY).toBe(
      `default-src 'none'; script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'; form-action http: https:; base-uri 'none'`,
    );
  });

  it.each(ATTACKS)('shows %s as text, in title, name and value', (attack) => {
    const page = autoSubmittingPage({ title: attack, action: 'https://shop.example', fields: [[attack, attack]] });
    expect(scriptsOf(page)).toHaveLength(1);
    expect(page.match(/<form /g)).toHaveLength(1);
    expect(page).not.toMatch(/<img|<!--/);
    expect(page).toContain(`name="${escapeHtml(attack)}" value="${escapeHtml(attack)}"`);
    expect(messagePage({ title: attack, message: attack })).not.toMatch(/<script|<img|<!--|<form/);
  });

  it('leaves no character that ends text or attribute, and loses none', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: codePoint }), fc.constantFrom(...ATTACKS)), (text) => {
        expect(escapeHtml(text)).not.toMatch(/[<>"'`]/);
        expect(unescaped(escapeHtml(text))).toBe(text);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['javascript:alert(1)', '/relative', 'https://user@shop.example', ''])('builds no form for %j', (action) => {
    expect(() => autoSubmittingPage({ title: '', action, fields: [] })).toThrow('the action of a form must be a web address');
  });

  it('reloads itself where it is told to', () => {
    expect(messagePage({ title: 'Payment', message: 'One moment', reloadSeconds: 1.5 })).toContain(
      '<meta http-equiv="refresh" content="2">',
    );
    expect(messagePage({ title: 'Payment', message: 'Approved' })).not.toContain('refresh');
  });
});
