import type { Browser, Page } from 'playwright-core';
import { openBrowser } from '../../support/http/browser';
import { built } from '../harness/built';
import { ROUNDS, scaled, type Figure, type Findings } from '../harness/figure';
import { askOnce } from '../harness/program';
import { freePort } from '../harness/running-program';
import { RunningService } from '../harness/service';
import { inWorkFolder } from '../harness/work-folder';
import { fillLog } from '../load/filled-log';
import type { BuildService } from '../programs/build-service.program';

const { newOperatorToken, sha256OfToken } = built<typeof import('@app/configuration')>('libs/configuration/index.js');

const ORDERS = scaled(100_000);
const EVENTS_PER_ORDER = 5;
const ENTRIES = scaled(5_000);
const BUILD_TIMEOUT_MS = 1_800_000;
const PAGE_TIMEOUT_MS = 600_000;
const LONGEST_TASK = { kind: 'at-most', asked: 50 } as const;
const FIRST_SCREEN = { kind: 'at-most', asked: 1_000 } as const;

/** Code of the page is a text, because it is compiled without the types of a browser. */
const WATCH_TASKS = `
  globalThis.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
  }).observe({ type: 'longtask', buffered: true });`;
/** The longest task since the last call, in ms. The browser reports none under 50 ms. A task is reported after its end. */
const TAKE_LONGEST =
  'new Promise((resolve) => setTimeout(() => { const { longest } = globalThis; globalThis.longest = 0; resolve(longest); }, 200))';
/** Scrolls to the end, a part of a screen in each frame, as a wheel does. */
const scrollThrough = (within: string, stepPx: number): string => `
  new Promise((resolve) => {
    let element = document.querySelector('${within}');
    const scrolls = ({ scrollHeight, clientHeight }, style) => scrollHeight > clientHeight && /auto|scroll/.test(style.overflowY);
    while (element !== null && !scrolls(element, getComputedStyle(element))) element = element.parentElement;
    element ??= document.scrollingElement;
    const step = () => {
      const before = element.scrollTop;
      element.scrollTop += ${stepPx};
      if (element.scrollTop === before) resolve();
      else requestAnimationFrame(step);
    };
    step();
  })`;
/** Presses "Load more" until the list is complete. */
const LOAD_ALL = `
  new Promise((resolve) => {
    const press = () => {
      const more = document.querySelector('.load-more button');
      if (more === null) return resolve();
      if (more.getAttribute('aria-disabled') !== 'true') more.click();
      setTimeout(press, 5);
    };
    press();
  })`;

const settled = async (page: Page): Promise<void> => {
  await page.locator('h1').waitFor();
  await page.locator('.skeleton, [aria-busy=true]').first().waitFor({ state: 'detached' });
};

const openedPage = async (browser: Browser, origin: string, token: string): Promise<Page> => {
  const answer = await fetch(`${origin}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin },
    body: JSON.stringify({ token }),
  });
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(answer.headers.getSetCookie()[0] ?? '') ?? [];
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 } });
  context.setDefaultTimeout(PAGE_TIMEOUT_MS);
  await context.addCookies([{ name, value, url: origin, httpOnly: true, sameSite: 'Strict' }]);
  const page = await context.newPage();
  await page.addInitScript({ content: WATCH_TASKS });
  return page;
};

/** In ms, in one browser without a cache. */
interface Times {
  readonly firstScreen: number;
  readonly orderOpened: number;
  readonly orderScrolled: number;
  readonly listOpened: number;
  readonly listLoaded: number;
  readonly listScrolled: number;
}

const timesOf = async (page: Page, origin: string, orderId: string): Promise<Times> => {
  const takeLongest = (): Promise<number> => page.evaluate<number>(TAKE_LONGEST);
  const startedAt = performance.now();
  await page.goto(`${origin}/console/`);
  await settled(page);
  const firstScreen = performance.now() - startedAt;
  // No order of a service has so many entries: the port's answer is repeated.
  await page.route(/\/audit\/orders\/[^/]+\?/, async (route) => {
    const answer = await route.fetch();
    const body = (await answer.json()) as { readonly trail: readonly object[] };
    const trail = Array.from({ length: ENTRIES }, (_, index) => ({
      ...body.trail[index % body.trail.length],
      number: index + 1,
      eventId: `${index}`,
      causedBy: null,
    }));
    await route.fulfill({ response: answer, json: { ...body, trail } });
  });
  await page.goto(`${origin}/console/orders/${orderId}`);
  await settled(page);
  await page.locator('.entry').first().waitFor();
  const orderOpened = await takeLongest();
  await page.evaluate(scrollThrough('.entries', 600));
  const orderScrolled = await takeLongest();
  await page.goto(`${origin}/console/orders`);
  await settled(page);
  const listOpened = await takeLongest();
  await page.evaluate(LOAD_ALL);
  const listLoaded = await takeLongest();
  await page.evaluate(scrollThrough('.table', 3_000));
  return { firstScreen, orderOpened, orderScrolled, listOpened, listLoaded, listScrolled: await takeLongest() };
};

/** The console in a browser over 100,000 orders. */
export const consoleInBrowser = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const token = newOperatorToken();
    const operators = [{ name: 'looking', role: 'investigator', tokenSha256: sha256OfToken(token) }];
    const dataDir = folder.folder('filled');
    const { sample } = await fillLog(dataDir, ORDERS * EVENTS_PER_ORDER);
    await askOnce<BuildService, void>('build-service', { dataDir }, BUILD_TIMEOUT_MS);
    const operatorPort = await freePort();
    const configurationPath = folder.configuration({ operators });
    const service = await RunningService.start({ dataDir, configurationPath, roles: 'api', operatorPort });
    const browser = await openBrowser();
    try {
      const rounds: Times[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const origin = `http://127.0.0.1:${operatorPort}`;
        const page = await openedPage(browser, origin, token);
        rounds.push(await timesOf(page, origin, sample[0]?.orderId ?? ''));
        await page.context().close();
      }
      const figure = (name: string, part: keyof Times, bound?: Figure['bound']): Figure => ({
        name,
        unit: 'ms',
        rounds: rounds.map((times) => times[part]),
        ...(bound !== undefined && { bound }),
      });
      const [entries, orders] = [ENTRIES, ORDERS].map((count) => count.toLocaleString('en'));
      return {
        figures: [
          figure('first screen, from its request until nothing loads', 'firstScreen', FIRST_SCREEN),
          figure(`longest task, an order of ${entries} events is opened`, 'orderOpened'),
          figure(`longest task, its events are scrolled`, 'orderScrolled', LONGEST_TASK),
          figure('longest task, the list of orders is opened', 'listOpened'),
          figure(`longest task, a page is added until it has ${orders} orders`, 'listLoaded'),
          figure(`longest task, its orders are scrolled`, 'listScrolled', LONGEST_TASK),
        ],
      };
    } finally {
      await browser.close();
      await service.stop();
    }
  });
