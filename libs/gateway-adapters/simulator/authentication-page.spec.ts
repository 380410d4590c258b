import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { answeredPage, authenticationPage } from './authentication-page';

const count = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length;
const unescape = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#96;', '`')
    .replaceAll('&amp;', '&');

describe('the authentication page', () => {
  it('is one form with one password field, posted to the payer’s return address [W347]', () => {
    const { html, csp } = authenticationPage({ returnUrl: 'https://gateway.example/payer/1?a=1&b=2' });
    expect(html.match(/<form[^>]*>/g)).toEqual(['<form method="post" action="https://gateway.example/payer/1?a=1&amp;b=2">']);
    expect(html.match(/<input[^>]*>/g)).toEqual(['<input id="password" type="password" name="password" autocomplete="off" required>']);
    expect(html).toContain('<label for="password">Password</label>');
    expect(count(html, /<button class="go" type="submit">/g)).toBe(1);
    expect(html).not.toMatch(/<script|<link|<img/);
    const [, style = ''] = /<style>(.*?)<\/style>/s.exec(html) ?? [];
    const hash = createHash('sha256').update(style).digest('base64');
    expect(csp).toBe(`default-src 'none'; style-src 'sha256-${hash}'; form-action http: https:; base-uri 'none'`);
  });

  it('escapes the return address inside its attribute', () => {
    const hostile = fc.string();
    fc.assert(
      fc.property(
        fc.oneof(hostile, fc.constantFrom('"><script>alert(1)</script>', "' onmouseover='x", '`<img src=x>', '&quot;>')),
        (text) => {
          const returnUrl = `https://gateway.example/payer/${text}`;
          const { html } = authenticationPage({ returnUrl });
          expect(count(html, /</g)).toBe(count(authenticationPage({ returnUrl: 'https://gateway.example/' }).html, /</g));
          expect(unescape(/ action="([^"]*)"/.exec(html)?.[1] ?? '')).toBe(returnUrl);
        },
      ),
    );
  });

  it.each(['javascript:alert(1)', 'data:text/html,x', '/payer/1', '', 'file:///etc/passwd'])(
    'refuses %j as a return address',
    (returnUrl) => {
      expect(() => authenticationPage({ returnUrl })).toThrow('the return address of the authentication page must be a web address');
    },
  );

  it('for an answered payment has no form and links to the payer’s return address', () => {
    const { html } = answeredPage({ returnUrl: 'https://gateway.example/payer/1?a=1&b=2' });
    expect(html).toContain('You have already answered this request.');
    expect(html).toContain('href="https://gateway.example/payer/1?a=1&amp;b=2"');
    expect(html).not.toMatch(/<form|<input|<script/);
    expect(answeredPage({ returnUrl: 'javascript:alert(1)' }).html).not.toContain('<a ');
  });
});
