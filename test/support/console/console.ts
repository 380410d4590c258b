import { source as AXE } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { newOperatorToken, OPERATOR_ROLES, sha256OfToken, type OperatorRole } from '@app/configuration';
import type { StreamName } from '@app/event-store';
import { openBrowser } from '../http/browser';
import type { CallbackReceiver } from '../merchants/callback-receiver';
import type { Order } from '../merchants/signed-requests';
import { sandboxConfiguration, type Parts } from '../processes/sandbox-configuration';
import { Service } from '../processes/service';
import { until } from '../until';

export { HAS_BROWSER, WITHOUT_BROWSER } from '../http/browser';

const TOKENS = Object.fromEntries(OPERATOR_ROLES.map((role) => [role, newOperatorToken()])) as Readonly<Record<OperatorRole, string>>;
const LIMITED = newOperatorToken();

/** One operator of each role, named after it, and `limited`, an admin of merchant `acme` only. */
export type Person = OperatorRole | 'limited';
export const tokenOf = (person: Person): string => (person === 'limited' ? LIMITED : TOKENS[person]);

const operators = [
  ...OPERATOR_ROLES.map((role) => ({ name: role, role, tokenSha256: sha256OfToken(TOKENS[role]) })),
  { name: 'limited', role: 'admin', tokenSha256: sha256OfToken(LIMITED), merchants: ['acme'] },
];

/** The sandbox's configuration with the operators above. */
export const consoleConfiguration = ({ whole = {}, ...parts }: Parts = {}): object =>
  sandboxConfiguration({ ...parts, whole: { operators, ...whole } });

/** Endpoint 1010, whose gate is the path `/gate` of the receiver. If that answers with errors, outcomes stay unknown. */
export const lostGate = (receiver: CallbackReceiver, longestFlightSeconds = 1): Pick<Parts, 'endpoints' | 'gates' | 'ports'> => ({
  ports: [receiver.port],
  endpoints: [{ id: '1010', currency: 'USD', gates: ['lost'] }],
  gates: [
    {
      alias: 'lost',
      adapter: 'paynet',
      currencies: ['USD'],
      longestFlightSeconds,
      controlKey: '7E3A4D1C-0B0E-4E4A-9D59-0F6C2C1B5A77',
      upstream: { baseUrl: receiver.url('/gate'), plainHttp: true, login: 'house', endpoint: '1' },
    },
  ],
});

/** Endpoint 1101: large amounts and cards of MIR go to gate `sim-b` first. */
export const ROUTED_ENDPOINT = {
  id: '1101',
  currency: 'USD',
  gates: ['sim-a', 'sim-b'],
  routing: [
    { name: 'large', when: { amountFrom: '100.00' }, then: { cascade: ['sim-b', 'sim-a'] } },
    { name: 'mir', when: { brands: ['MIR'] }, then: { cascade: ['sim-b'] } },
  ],
};

export type Theme = 'dark' | 'light';

interface PageSettings {
  readonly width?: number;
  readonly height?: number;
  readonly theme?: Theme;
}

/** Code of the page is a text, because the tests are compiled without the types of a browser. */
const WATCH_POLICY =
  "document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => void violated(`${violatedDirective} ${blockedURI}`));";
const HEIGHT = 900;
const WIDTH = 1_440;
/** A browser must answer sooner than the test ends, so that its message names the missing element. */
const WAIT_MS = 15_000;

/**
 * The console of a built service in a real browser. Each page is watched: a request to another host, a violation of the content policy,
 * an error of the script or a failed file is a fault.
 */
export class Console {
  readonly #faults: string[] = [];
  readonly #contexts = new Set<BrowserContext>();

  private constructor(
    readonly service: Service,
    readonly browser: Browser,
  ) {}

  /** Starts the built service and a browser. */
  static async open(configuration: object = consoleConfiguration()): Promise<Console> {
    const [service, browser] = await Promise.allSettled([Service.start({ configuration }), openBrowser()]);
    if (service.status === 'fulfilled' && browser.status === 'fulfilled') return new Console(service.value, browser.value);
    if (service.status === 'fulfilled') await service.value.dispose();
    if (browser.status === 'fulfilled') await browser.value.close();
    throw service.status === 'rejected' ? service.reason : (browser as PromiseRejectedResult).reason;
  }

  /** What went wrong on any page so far. Expected to be empty at the end of each test. */
  get faults(): readonly string[] {
    return this.#faults;
  }

  addressOf(path: string): string {
    return `${this.service.operatorUrl}/console${path}`;
  }

  /** A page of a browser without a session. */
  async newPage({ width = WIDTH, height = HEIGHT, theme = 'light' }: PageSettings = {}): Promise<Page> {
    const context = await this.browser.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: 'reduce' });
    this.#contexts.add(context);
    context.setDefaultTimeout(WAIT_MS);
    const own = this.service.operatorUrl;
    context.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== 'data:' && protocol !== 'blob:' && origin !== own) this.#faults.push(`a request to ${request.url()}`);
    });
    context.on('response', (response) => {
      if (response.status() >= 400 && response.url().includes('/console/'))
        this.#faults.push(`HTTP ${response.status()} of ${response.url()}`);
    });
    const page = await context.newPage();
    page.on('pageerror', (error) => this.#faults.push(`an error of the script: ${error.stack ?? error.message}`));
    await page.exposeFunction('violated', (text: string) => void this.#faults.push(`a violation of the content policy: ${text}`));
    await page.addInitScript({ content: WATCH_POLICY });
    return page;
  }

  /** Opens a screen as a person. The session is begun without the page, which another test covers. */
  async signedIn(person: Person, path = '/', settings: PageSettings = {}): Promise<Page> {
    const page = await this.newPage(settings);
    await this.beginSession(page, person);
    await this.show(page, path);
    return page;
  }

  async beginSession(page: Page, person: Person): Promise<void> {
    const { status, headers, body } = await this.service.send(`${this.service.operatorUrl}/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: this.service.operatorUrl },
      body: JSON.stringify({ token: tokenOf(person) }),
    });
    if (status !== 200) throw new Error(`no session for ${person}: ${body}`);
    const [cookie = ''] = [headers['set-cookie'] ?? []].flat();
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    await page.context().addCookies([{ name, value, url: this.service.operatorUrl, httpOnly: true, sameSite: 'Strict' }]);
  }

  /** What the port answers to a person's token. With a body it is an action. Waits for the index to have the order. @throws Error if the port refuses */
  ask<Answer = Readonly<Record<string, unknown>>>(person: Person, path: string, body?: object): Promise<Answer> {
    let last = '';
    const ask = async () => {
      const { status, body: answer } = await this.service.send(this.service.operatorUrl + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${tokenOf(person)}` },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      last = `${path}: ${status} ${answer}`;
      if (status === 404) return undefined;
      if (status >= 300) throw new Error(last);
      return JSON.parse(answer) as Answer;
    };
    return until(ask, { what: path, seen: () => last });
  }

  async streamOf({ orderId }: Pick<Order, 'orderId'>): Promise<StreamName> {
    const path = `/audit/orders/${orderId}?by=orderid`;
    const { trail } = await this.ask<{ readonly trail: readonly { readonly stream: StreamName }[] }>('admin', path);
    const [first] = trail;
    if (first === undefined) throw new Error(`${orderId} has no events`);
    return first.stream;
  }

  /** The data of an event of an order. */
  async event(order: Pick<Order, 'orderId'>, revision: number): Promise<Readonly<Record<string, unknown>>> {
    const { data } = await this.ask('admin', `/audit/events/${await this.streamOf(order)}/${revision}`);
    return JSON.parse(String(data)) as Readonly<Record<string, unknown>>;
  }

  /** Waits until a list has so many entries: it follows the log a moment later. */
  listed(path: string, name: string, count: number): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const ask = async () => (await this.ask('admin', path))[name] as readonly Readonly<Record<string, unknown>>[];
    let entries: Awaited<ReturnType<typeof ask>> = [];
    return until(async () => (entries = await ask()).length >= count && entries, { what: `${count} ${name}`, seen: () => entries });
  }

  /** Goes to an address of the console by loading it, and waits until the screen has answers. */
  async show(page: Page, path: string): Promise<void> {
    await page.goto(this.addressOf(path));
    await settled(page);
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.service.dispose();
  }
}

/** Waits for the heading, until nothing loads. */
export const settled = async (page: Page): Promise<void> => {
  await page.locator('h1').waitFor();
  // `waitForFunction` evaluates a text in the page, which the content policy forbids.
  await page.locator('.skeleton, [aria-busy=true]').first().waitFor({ state: 'detached' });
};

interface Judged {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
  }[];
}

/** What axe finds on a page: the rule and the first places, one a line. Empty if all is well. */
export const axeFaults = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<Judged>("axe.run(document, { resultTypes: ['violations'] })");
  return violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary = '' }) => `${id}: ${html} ${failureSummary}`),
  );
};

/** How many pixels the page is wider than its window, or a navigation than its place: 0, as only a table's own region may scroll sideways. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate<number>(
    "Math.max(...[document.documentElement, ...document.querySelectorAll('nav')].map((one) => one.scrollWidth - one.clientWidth))",
  );

/** The text of the element that has the focus, or its label. */
export const focusedText = (page: Page): Promise<string> =>
  page.evaluate<string>("document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent ?? ''");

const THEMES: readonly Theme[] = ['light', 'dark'];
const WIDTHS = [1_440, 390, 320];

/** Faults of an open page in its present state: axe in each theme, and sideways scrolling at 320 px. */
export const faultsInPlace = async (page: Page, state: string): Promise<readonly string[]> => {
  const found: string[] = [];
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    found.push(...(await axeFaults(page)).map((fault) => `${state}, ${theme}: ${fault}`));
  }
  const before = page.viewportSize() ?? { width: WIDTH, height: HEIGHT };
  await page.setViewportSize({ width: 320, height: HEIGHT });
  const overflow = await overflowOf(page);
  if (overflow > 0) found.push(`${state}: ${overflow} px wider than 320 px`);
  await page.setViewportSize(before);
  return found;
};

/** Faults of a screen in each theme and width: axe, and sideways scrolling at 390 and 320 px. `prepare` brings a page into the state. */
export const faultsOfLooks = async (
  served: Console,
  { person, path, prepare }: { person: Person; path: string; prepare?: (page: Page) => Promise<unknown> },
): Promise<readonly string[]> => {
  const page = await served.signedIn(person, path);
  const found: string[] = [];
  for (const theme of THEMES)
    for (const width of WIDTHS) {
      await page.emulateMedia({ colorScheme: theme });
      await page.setViewportSize({ width, height: HEIGHT });
      await served.show(page, path);
      await prepare?.(page);
      const place = `${path} at ${width} px, ${theme}`;
      const overflow = await overflowOf(page);
      if (overflow > 0) found.push(`${place}: ${overflow} px wider than the window`);
      if (width !== 320) found.push(...(await axeFaults(page)).map((fault) => `${place}: ${fault}`));
    }
  await page.context().close();
  return found;
};
