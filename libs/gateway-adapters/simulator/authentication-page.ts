import { parseUrl } from '@app/kernel';
import { PASSWORD_FIELD } from './payer-word';

/** A complete page and the Content-Security-Policy to serve it with. */
export interface Page {
  readonly html: string;
  readonly csp: string;
}

// Forms go to any web address, not only to that of `action`: browsers hold the redirects after a submit to the same list.
const CSP = "default-src 'none'; form-action http: https:; base-uri 'none'";

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;', '`': '&#96;' };
const escape = (text: string): string => text.replace(/[&<>"'`]/g, (found) => ENTITIES[found] ?? '');

const page = (body: string): Page => ({
  html: `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Payer authentication</title>\n</head>\n<body>\n${body}</body>\n</html>\n`,
  csp: CSP,
});

const isWebAddress = (text: string): boolean => ['http:', 'https:'].includes(parseUrl(text)?.protocol ?? '');

/**
 * The simulated issuer's page: one form with one password field (protocol decisions, section 7), posted to where the payer comes back.
 * @throws Error where that is no web address: the charge was sent with one that was never validated.
 */
export const authenticationPage = ({ returnUrl }: { readonly returnUrl: string }): Page => {
  if (!isWebAddress(returnUrl)) throw new Error('the way back from the authentication page must be a web address');
  const password = `<input type="password" name="${PASSWORD_FIELD}" autocomplete="off" required>`;
  return page(
    `<p>Your bank asks you to confirm this payment.</p>\n<form method="post" action="${escape(returnUrl)}">\n<label>Password ${password}</label>\n<button type="submit">Confirm</button>\n</form>\n`,
  );
};

/** For a payer who comes to the page again: the answer was given, and counts once. */
export const answeredPage = (): Page => page('<p>This payment has been answered already. You can close this page.</p>\n');
