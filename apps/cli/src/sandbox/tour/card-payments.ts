import type { PlacedOrder, TourVisit } from './tour-visit';

const PAGE_TIMEOUT_MS = 15_000;

/** The only form of a page, by its address and fields. */
interface PageForm {
  readonly action: string;
  readonly fields: ReadonlyMap<string, string>;
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&#96;': '`', '&amp;': '&' };
const unescaped = (text: string): string => text.replace(/&(?:lt|gt|quot|#39|#96|amp);/g, (entity) => ENTITIES[entity] ?? entity);

const FORM = /<form\s[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/;
const INPUT = /<input\s([^>]*)>/g;
const attribute = (text: string, name: string): string | undefined => new RegExp(`\\b${name}="([^"]*)"`).exec(text)?.[1];

/** Reads the form of a page of this service; undefined where it has none. */
export const formOf = (html: string): PageForm | undefined => {
  const form = FORM.exec(html);
  if (form === null) return undefined;
  const [, action = '', body = ''] = form;
  const fields = [...body.matchAll(INPUT)].flatMap(([, text = '']): [string, string][] => {
    const name = attribute(text, 'name');
    return name === undefined ? [] : [[unescaped(name), unescaped(attribute(text, 'value') ?? '')]];
  });
  return { action: unescaped(action), fields: new Map(fields) };
};

const openPage = async (url: string): Promise<string> => (await fetch(url, { signal: AbortSignal.timeout(PAGE_TIMEOUT_MS) })).text();

/** Sends the form as a browser would. */
const submitForm = async ({ action, fields }: PageForm): Promise<string> => {
  const body = new URLSearchParams([...fields]);
  return (await fetch(action, { method: 'POST', body, signal: AbortSignal.timeout(PAGE_TIMEOUT_MS) })).text();
};

/** A payer who is at an upstream gateway passes the pages of both. */
const PAGES_MAX = 8;
/** The password that the simulator's issuer accepts (protocol decisions, section 9). */
const PASSWORD = 'hint';

export const approvedPayment = async (visit: TourVisit): Promise<PlacedOrder> => {
  visit.report.step('Initial payment', 'A sale at endpoint 1001. The simulator goes by the CVV: 123 is approved.');
  const callback = { server_callback_url: `${visit.siteUrl}/callback`, merchant_data: 'basket=7&status=mine' };
  const order = await visit.place(visit.sale('sale', { endpoint: '1001', cvv2: '123', ...callback }));
  const status = await visit.final(order);
  visit.claim('approved', status.get('status') === 'approved');
  visit.claim('the merchant’s own data came back unharmed', status.get('merchantdata') === callback.merchant_data);
  return order;
};

export const merchantCallback = async (visit: TourVisit, order: PlacedOrder): Promise<void> => {
  visit.report.step('Merchant callback', 'The service tells the merchant’s own server, and repeats it until that answers 200.');
  const callback = await visit.callbackOf(order);
  visit.claim('the callback came', callback !== undefined);
  if (callback === undefined) return;
  visit.report.answer(`POST ${visit.siteUrl}/callback`, [['webhook-id', callback.webhookId], ...callback.members]);
  visit.claim('its control is made with the merchant’s key', callback.isAuthentic);
  visit.claim('it says what status said', callback.members.get('status') === 'approved');
};

export const declinedPayment = async (visit: TourVisit): Promise<PlacedOrder> => {
  visit.report.step('A declined payment', 'The CVV 116 is declined for want of funds.');
  const order = await visit.place(visit.sale('declined', { endpoint: '1001', cvv2: '116' }));
  const status = await visit.final(order);
  visit.claim('declined with code 116', status.get('status') === 'declined' && status.get('error-code') === '116');
  return order;
};

export const authenticatedPayment = async (visit: TourVisit): Promise<PlacedOrder> => {
  visit.report.step(
    '3-D Secure',
    `A sale at endpoint 1003, whose gate asks the payer for a password (CVV 321; the password is "${PASSWORD}").`,
  );
  const request = visit.sale('secure', { endpoint: '1003', cvv2: '321', redirect_url: `${visit.siteUrl}/back` });
  const order = await visit.place(request);
  const waiting = await visit.statusWhen(order, (answer) => answer.has('redirect-to'));
  visit.claim('status says where the payer’s browser goes', waiting !== undefined);
  await walkPages(visit, waiting?.get('redirect-to') ?? '');
  const status = await visit.final(order);
  visit.claim(
    'approved, the payer authenticated',
    status.get('verified-3d-status') === 'AUTHENTICATED' && status.get('status') === 'approved',
  );
  return order;
};

/** Follows the payer's pages as a browser with scripts does, up to the page of the merchant's own site. */
const walkPages = async (visit: TourVisit, url: string): Promise<void> => {
  visit.report.request('GET', url, []);
  let page = await openPage(url);
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const form = formOf(page);
    if (form === undefined) break;
    const fields = form.fields.has('password') ? new Map([...form.fields, ['password', PASSWORD] as const]) : form.fields;
    visit.report.request('POST', form.action, fields);
    page = await submitForm({ ...form, fields });
    if (form.action.startsWith(visit.siteUrl)) return visit.claim('the browser came back to the merchant', true);
  }
  visit.claim('the browser came back to the merchant', false);
};

export const unknownOutcome = async (visit: TourVisit): Promise<PlacedOrder> => {
  visit.report.step('An unknown outcome', 'With the CVV 217 the acquirer falls silent after it took the money. Unknown is not failed.');
  const order = await visit.place(visit.sale('unknown', { endpoint: '1001', cvv2: '217' }));
  const first = await visit.statusWhen(order, (answer) => answer.get('order-stage') === 'sale_unknown');
  visit.claim('its stage is sale_unknown, its status still processing', first?.get('status') === 'processing');
  const status = await visit.final(order);
  visit.claim('an inquiry found it approved', status.get('status') === 'approved');
  return order;
};
