import { createHash } from 'node:crypto';
import { parseUrl } from '@app/kernel';
import { PAYER_NOT_AUTHENTICATED } from './charge-rules';
import type { Verdict } from './ledger/transaction';

const PASSWORD_FIELD = 'password';
const PASSWORD = 'hint';

export const verdictOnPayer = (returned: ReadonlyMap<string, string>): Verdict =>
  returned.get(PASSWORD_FIELD) === PASSWORD
    ? { status: 'approved', payerAuthentication: 'AUTHENTICATED' }
    : { status: 'declined', code: PAYER_NOT_AUTHENTICATED, payerAuthentication: 'NOT_AUTHENTICATED' };

export interface Page {
  readonly html: string;
  readonly csp: string;
}

const STYLE = [
  ':root{color-scheme:light dark;--ink:#18202e;--paper:#fff;--ground:#e9f1ee;--line:#78859a;--act:#0f5f4a;--on-act:#fff}',
  '@media (prefers-color-scheme:dark){:root{--ink:#eef1f6;--paper:#17231f;--ground:#0c1412;--line:#7f8ea0;--act:#7fd8bd;--on-act:#06251c}}',
  '*{box-sizing:border-box}',
  'body{margin:0;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}',
  'main{width:min(28rem,100% - 2rem);margin:clamp(1.25rem,9vh,5rem) auto 2rem;padding:clamp(1.25rem,5vw,2rem);background:var(--paper);border-radius:1rem}',
  'h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.25}',
  'label{display:block;margin-bottom:.25rem;font-weight:600}',
  'input{width:100%;min-height:2.75rem;margin-bottom:1.25rem;padding:.5rem .75rem;border:1px solid var(--line);border-radius:.5rem;background:none;color:inherit;font:inherit}',
  '.go{display:inline-block;min-height:2.75rem;padding:.6rem 1.4rem;border:0;border-radius:.6rem;background:var(--act);color:var(--on-act);font:inherit;font-weight:600;text-decoration:none;cursor:pointer}',
  ':focus-visible{outline:3px solid var(--act);outline-offset:2px}',
].join('');

// Allows every web address: browsers also apply form-action to redirects after a submit.
const CSP = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; form-action http: https:; base-uri 'none'`;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;', '`': '&#96;' };
const escape = (text: string): string => text.replace(/[&<>"'`]/g, (found) => ENTITIES[found] ?? '');

const page = (body: string): Page => ({
  html:
    '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n' +
    `<title>Payer authentication</title>\n<style>${STYLE}</style>\n</head>\n<body>\n<main>\n<h1>Your bank</h1>\n${body}</main>\n</body>\n</html>\n`,
  csp: CSP,
});

const isWebAddress = (text: string): boolean => ['http:', 'https:'].includes(parseUrl(text)?.protocol ?? '');

/**
 * The simulated issuer's page: one form with one password field (protocol decisions, section 7), posted to the payer's return address.
 * @throws Error unless it is a web address: the charge was sent with an unvalidated address
 */
export const authenticationPage = ({ returnUrl }: { readonly returnUrl: string }): Page => {
  if (!isWebAddress(returnUrl)) throw new Error('the return address of the authentication page must be a web address');
  const password = `<input id="password" type="password" name="${PASSWORD_FIELD}" autocomplete="off" required>`;
  return page(
    `<p>Your bank asks you to confirm this payment.</p>\n<form method="post" action="${escape(returnUrl)}">\n<label for="password">Password</label>\n${password}\n<button class="go" type="submit">Confirm</button>\n</form>\n`,
  );
};

/** Shown if a payer opens the page again: an answer counts once. */
export const answeredPage = ({ returnUrl }: { readonly returnUrl: string }): Page => {
  const back = isWebAddress(returnUrl) ? `<p><a class="go" href="${escape(returnUrl)}">Continue</a></p>\n` : '';
  return page(`<p>You have already answered this request.</p>\n${back}`);
};
