import { createHash } from 'node:crypto';
import { isWebAddress } from './web-address';

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;', '`': '&#96;' };

/** For text and for attributes in quotes (safety, T46). */
export const escapeHtml = (text: string): string => text.replace(/[&<>"'`]/g, (found) => ENTITIES[found] ?? '');

// Through the prototype: a field named `submit` would hide the form's own method.
const SUBMIT_SCRIPT = 'HTMLFormElement.prototype.submit.call(document.forms[0])';

/**
 * Content-Security-Policy of our pages: one script, known by its hash, and nothing loaded (safety, T21). Forms go to any web address, not only to
 * that of `action`: browsers hold the redirects after a submit to the same list, and an authentication page redirects as it likes.
 */
export const PAGE_POLICY = [
  "default-src 'none'",
  `script-src 'sha256-${createHash('sha256').update(SUBMIT_SCRIPT).digest('base64')}'`,
  'form-action http: https:',
  "base-uri 'none'",
].join('; ');

/** `head` and `body` are HTML already: what comes from outside goes through `escapeHtml` first. */
export const htmlPage = (title: string, head: string, body: string): string =>
  `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>${escapeHtml(title)}</title>\n${head}</head>\n<body>\n${body}</body>\n</html>\n`;

export interface FormPage {
  readonly title: string;
  /** Absolute http or https address. */
  readonly action: string;
  readonly fields: Iterable<readonly [name: string, value: string]>;
}

/**
 * A complete page that posts its form as soon as it is read, and has a button where scripts are off: 3-D Secure and the way back to the merchant
 * (protocol decisions, sections 6 and 7). Serve it with `PAGE_POLICY`.
 * @throws where `action` is no web address: the caller took one that was never validated.
 */
export const autoSubmittingPage = ({ title, action, fields }: FormPage): string => {
  if (!isWebAddress(action)) throw new Error('the action of a form must be a web address');
  const inputs = Array.from(fields, ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">\n`);
  const form = `<form method="post" action="${escapeHtml(action)}">\n${inputs.join('')}<noscript><button type="submit">Continue</button></noscript>\n</form>\n`;
  return htmlPage(title, '', `${form}<script>${SUBMIT_SCRIPT}</script>\n`);
};

export interface MessagePage {
  readonly title: string;
  readonly message: string;
  /** Whole seconds after which the browser asks again; for a page shown while an order is open. */
  readonly reloadSeconds?: number;
}

/** A page that only says something: the result of a payment, an unknown receipt. Serve it with `PAGE_POLICY`. */
export const messagePage = ({ title, message, reloadSeconds }: MessagePage): string =>
  htmlPage(
    title,
    reloadSeconds === undefined ? '' : `<meta http-equiv="refresh" content="${Math.ceil(reloadSeconds)}">\n`,
    `<p>${escapeHtml(message)}</p>\n`,
  );
