import { escapeHtml, htmlPage, inlineSource, PAGE_STYLE } from './page';
import { isWebAddress } from '../shared/request-texts';

// Called on the prototype, because a field named `submit` would hide the form's method.
const SUBMIT_SCRIPT = 'HTMLFormElement.prototype.submit.call(document.forms[0])';

const COMMON_POLICY = [
  "default-src 'none'",
  `script-src ${inlineSource(SUBMIT_SCRIPT)}`,
  `style-src ${inlineSource(PAGE_STYLE)}`,
  "base-uri 'none'",
];

/** Content-Security-Policy of our pages: inline script and style by hash, and no forms (safety, T21). */
export const PAGE_POLICY = [...COMMON_POLICY, "form-action 'none'"].join('; ');

/**
 * As `PAGE_POLICY`, for a page that submits a form. Without `form-action`, because browsers also apply it to redirects
 * and it cannot list app addresses (`myshop://done`).
 */
export const FORM_PAGE_POLICY = COMMON_POLICY.join('; ');

/**
 * Content-Security-Policy of a gate's page. The sandbox gives it a separate origin, but lets it submit forms and
 * redirect to the issuer.
 */
export const FOREIGN_PAGE_POLICY = "sandbox allow-forms allow-scripts allow-popups; base-uri 'none'";

const HEAD = `<meta name="robots" content="noindex">\n<style>${PAGE_STYLE}</style>\n`;

export interface FramedPage {
  readonly title: string;
  readonly merchant?: string | undefined;
  readonly main: string;
}

/** The frame of all payer pages. Serve it with a policy that allows `PAGE_STYLE`. */
export const framedPage = ({ title, merchant, main }: FramedPage): string => {
  const header = merchant === undefined ? '' : `<header><p>${escapeHtml(merchant)}</p></header>\n`;
  const name = merchant === undefined ? title : `${title} · ${merchant}`;
  return htmlPage(name, HEAD, `${header}<main>\n<h1>${escapeHtml(title)}</h1>\n${main}</main>\n`);
};

export interface PageLink {
  /** Absolute http or https address, or empty to reload the page. */
  readonly href: string;
  readonly text: string;
}

export const linkHtml = ({ href, text }: PageLink): string => {
  if (href !== '' && !isWebAddress(href)) throw new Error('the address of a link must be a web address');
  return `<p><a class="go" href="${escapeHtml(href)}">${escapeHtml(text)}</a></p>\n`;
};

export interface FormPage {
  readonly title: string;
  readonly merchant?: string | undefined;
  readonly message: string;
  /** Absolute http or https address; without query if the method is `get`, because the fields replace it. */
  readonly action: string;
  readonly method?: 'get' | 'post';
  readonly fields: Iterable<readonly [name: string, value: string]>;
}

/**
 * A page that submits its form on load, for 3-D Secure and the return to the merchant (protocol decisions, sections 6
 * and 7). The button works without scripts. Serve it with `FORM_PAGE_POLICY`.
 * @throws if `action` is not a web address, which the caller should have validated
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

/** A page with a message and an optional link. Serve it with `PAGE_POLICY`. */
export const messagePage = ({ title, merchant, message, link }: MessagePage): string =>
  framedPage({ title, merchant, main: `<p>${escapeHtml(message)}</p>\n${link === undefined ? '' : linkHtml(link)}` });
