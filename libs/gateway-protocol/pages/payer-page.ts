import { escapeHtml, htmlPage, inlineSource, PAGE_STYLE } from './page';
import { isWebAddress } from '../shared/request-texts';

// Through the prototype: a field named `submit` would hide the form's own method.
const SUBMIT_SCRIPT = 'HTMLFormElement.prototype.submit.call(document.forms[0])';

const COMMON_POLICY = [
  "default-src 'none'",
  `script-src ${inlineSource(SUBMIT_SCRIPT)}`,
  `style-src ${inlineSource(PAGE_STYLE)}`,
  "base-uri 'none'",
];

/** Content-Security-Policy of our pages: one script and one style, known by their hashes, nothing loaded, and no form (safety, T21). */
export const PAGE_POLICY = [...COMMON_POLICY, "form-action 'none'"].join('; ');

/**
 * The same for a page that submits a form onwards. It has no `form-action`: browsers hold the redirects after a submit to that list too, which has no
 * word for the addresses of a shop's or a bank's app (`myshop://done`).
 */
export const FORM_PAGE_POLICY = COMMON_POLICY.join('; ');

/**
 * Content-Security-Policy of a page that a gate wrote: the browser gives it an origin of its own, so that its scripts reach nothing of ours, and lets it
 * submit its forms and lead on to the issuer.
 */
export const FOREIGN_PAGE_POLICY = "sandbox allow-forms allow-scripts allow-popups; base-uri 'none'";

const HEAD = `<meta name="robots" content="noindex">\n<style>${PAGE_STYLE}</style>\n`;

export interface FramedPage {
  readonly title: string;
  /** The merchant's name for the payer; absent where the merchant is unknown. */
  readonly merchant?: string | undefined;
  /** HTML already, below the heading. */
  readonly main: string;
}

/** What every page for a payer has: the merchant's name over it, its title as the heading, and the rest below. Serve it with a policy that knows `PAGE_STYLE`. */
export const framedPage = ({ title, merchant, main }: FramedPage): string => {
  const header = merchant === undefined ? '' : `<header><p>${escapeHtml(merchant)}</p></header>\n`;
  const name = merchant === undefined ? title : `${title} · ${merchant}`;
  return htmlPage(name, HEAD, `${header}<main>\n<h1>${escapeHtml(title)}</h1>\n${main}</main>\n`);
};

/** A link's address and text. */
export interface PageLink {
  /** Absolute http or https address, or empty for the page's own, asked for again. */
  readonly href: string;
  readonly text: string;
}

/** @throws where the address is none: the caller took one that was never validated. */
export const linkHtml = ({ href, text }: PageLink): string => {
  if (href !== '' && !isWebAddress(href)) throw new Error('the address of a link must be a web address');
  return `<p><a class="go" href="${escapeHtml(href)}">${escapeHtml(text)}</a></p>\n`;
};

export interface FormPage {
  readonly title: string;
  readonly merchant?: string | undefined;
  /** Stands over the button while the form is on its way. */
  readonly message: string;
  /** Absolute http or https address; of a form that is got, without a query, since the fields become one. */
  readonly action: string;
  /** `post` where it is absent. */
  readonly method?: 'get' | 'post';
  readonly fields: Iterable<readonly [name: string, value: string]>;
}

/**
 * A complete page that submits its form as soon as it is read, and says so: 3-D Secure and the way back to the merchant (protocol decisions, sections 6
 * and 7). Its button does the same where scripts are off, or where a merchant shows the page under a policy of its own. Serve it with `FORM_PAGE_POLICY`.
 * @throws where `action` is no web address: the caller took one that was never validated.
 */
export const autoSubmittingPage = ({ title, merchant, message, action, method = 'post', fields }: FormPage): string => {
  if (!isWebAddress(action)) throw new Error('the action of a form must be a web address');
  const inputs = Array.from(fields, ([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">\n`);
  const words = `<p role="status">${escapeHtml(message)} If nothing happens, press Continue.</p>\n`;
  const form = `<form method="${method}" action="${escapeHtml(action)}">\n${inputs.join('')}<button class="go" type="submit">Continue</button>\n</form>\n`;
  return framedPage({ title, merchant, main: `${words}${form}<script>${SUBMIT_SCRIPT}</script>\n` });
};

export interface MessagePage {
  readonly title: string;
  readonly merchant?: string | undefined;
  readonly message: string;
  readonly link?: PageLink | undefined;
}

/** A page with a message and perhaps a link: the result of a payment, an unknown receipt. Serve it with `PAGE_POLICY`. */
export const messagePage = ({ title, merchant, message, link }: MessagePage): string =>
  framedPage({ title, merchant, main: `<p>${escapeHtml(message)}</p>\n${link === undefined ? '' : linkHtml(link)}` });
