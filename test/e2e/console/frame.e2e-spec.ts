import type { Page } from 'playwright-core';
import {
  axeFaults,
  Console,
  focusedText,
  HAS_BROWSER,
  overflowOf,
  settled,
  WITHOUT_BROWSER,
  type Theme,
} from '../../support/console/console';
import { Merchant } from '../../support/merchants/merchant';
import type { Order } from '../../support/merchants/signed-requests';

jest.setTimeout(60_000);
const START_TIMEOUT_MS = 120_000;

const SCREENS: readonly (readonly [address: string, heading: RegExp])[] = [
  ['/', /^Overview$/],
  ['/orders?status=approved', /^Orders/],
  ['/queues?queue=callbacks', /./],
  ['/gates', /^Gates/],
  ['/what-if', /^What-if/],
  ['/approvals', /^Approvals/],
  ['/activity', /activity/i],
  ['/log', /log/i],
];

if (!HAS_BROWSER) process.stderr.write(`\n${WITHOUT_BROWSER}\n\n`);

(HAS_BROWSER ? describe : describe.skip)('the frame of the console', () => {
  let served: Console;
  let order: Order;
  let page: Page;

  beforeAll(async () => {
    served = await Console.open();
    order = await new Merchant(served.service).approvedSale();
  }, START_TIMEOUT_MS);
  afterAll(() => served?.close(), START_TIMEOUT_MS);
  afterEach(async () => {
    await page.context().close();
    expect(served.faults).toEqual([]);
  });

  const heading = () => page.locator('h1');
  const dialog = () => page.getByRole('dialog');
  const keys = async (...pressed: readonly string[]): Promise<void> => {
    for (const key of pressed) await page.keyboard.press(key);
  };

  it('names environment, instance, release and role, and shows that the feed is live', async () => {
    page = await served.signedIn('investigator');
    const banner = page.getByRole('banner');
    await banner.getByText('Live').waitFor();
    const text = await banner.textContent();
    for (const part of ['Test', served.service.baseUrl.replace('http://', ''), '0.2.0', 'investigator']) expect(text).toContain(part);
  });

  it('moves the focus to the heading of each screen, and names it in the tab', async () => {
    page = await served.signedIn('admin');
    const links = page.getByRole('navigation', { name: 'Screens' }).getByRole('link');
    const words = (await links.allTextContents()).slice(1);
    expect(words).toEqual(['Orders', 'Queues', 'Gates', 'What-if', 'Approvals', 'Activity', 'Log']);
    for (const word of words) {
      await links.getByText(word, { exact: true }).click();
      await page.locator('h1:focus').waitFor();
      await page.waitForURL(new RegExp(`/${word.toLowerCase()}(\\?|$)`));
      expect(await page.title()).toMatch(/^\S.* · Console$/);
      expect(await page.locator('h1').count()).toBe(1);
    }
  });

  it('goes to screens by keys, and finds no meaning in them while somebody writes', async () => {
    page = await served.signedIn('admin');
    for (const [second, address] of [
      ['o', '/orders'],
      ['u', '/queues?queue=unknown'],
      ['d', '/queues?queue=disputes'],
      ['c', '/queues?queue=callbacks'],
      ['g', '/gates'],
      ['w', '/what-if'],
      ['a', '/approvals'],
      ['y', '/activity'],
      ['l', '/log'],
      ['h', '/'],
    ] as const) {
      await keys('g', second);
      await page.waitForURL(served.addressOf(address));
    }
    await keys('Control+k');
    await dialog().waitFor();
    await page.keyboard.type('g o?y');
    expect(await dialog().getByLabel('Identifier').inputValue()).toBe('g o?y');
    await keys('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(page.url()).toBe(served.addressOf('/'));
  });

  it('shows the keys on ?, closes on Escape, and returns the focus', async () => {
    page = await served.signedIn('admin');
    const opener = page.getByRole('navigation').getByRole('link', { name: 'Gates' });
    await opener.focus();
    await keys('?');
    await dialog().getByText('Go to the unknown outcomes').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await keys('g', 'o');
    expect(page.url()).toBe(served.addressOf('/'));
    await keys('Escape');
    await dialog().waitFor({ state: 'detached' });
    expect(await focusedText(page)).toBe('Gates');
  });

  it('moves along the rows with j and k, and opens one with Enter', async () => {
    page = await served.signedIn('admin');
    await keys('j');
    const first = await focusedText(page);
    await keys('j');
    const second = await focusedText(page);
    expect([first, second].toSorted()).toEqual(['sim-3ds', 'sim-a']);
    await keys('k');
    expect(await focusedText(page)).toBe(first);
    await keys('Enter');
    await page.waitForURL(/\/gates/);
  });

  it('finds an order by any identifier, and opens the only one', async () => {
    page = await served.signedIn('investigator', '/log');
    await keys('Control+k');
    await page.keyboard.type('no-such-identifier');
    await keys('Enter');
    await dialog().getByText('No order that you may see has').waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await dialog().getByLabel('Identifier').fill(order.clientOrderId);
    await keys('Enter');
    await page.waitForURL(served.addressOf(`/orders/${order.orderId}`));
  });

  it('leads from amount, day and last four digits to the filtered orders, and adds the only currency', async () => {
    page = await served.signedIn('investigator', '/log');
    const day = new Date().toISOString().slice(0, 10);
    await keys('Control+k');
    await page.keyboard.type(`10.42 ${day} 1111`);
    await keys('Enter');
    await page.waitForURL(/currency=USD/);
    await settled(page);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({
      amountFrom: '10.42',
      amountTo: '10.42',
      currency: 'USD',
      on: day,
      lastFour: '1111',
    });
    await page.getByRole('link', { name: order.orderId }).waitFor();
    await keys('Control+k');
    await page.keyboard.type('0000');
    await keys('Enter');
    await dialog().getByRole('link', { name: 'filter the orders' }).click();
    await page.waitForURL(/orders\?lastFour=0000$/);
  });

  it('copies the address of the page on y', async () => {
    page = await served.signedIn('admin', '/queues?queue=disputes');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await keys('y');
    await page.getByRole('status').getByText('Address copied').waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(served.addressOf('/queues?queue=disputes'));
  });

  it.each(SCREENS)('shows the same screen after a reload of %s, without sideways scrolling at 320 px', async (address, words) => {
    page = await served.signedIn('admin', address, { width: 320 });
    expect(await heading().textContent()).toMatch(words);
    const before = [page.url(), await page.title(), await heading().textContent()];
    await page.reload();
    await settled(page);
    expect([page.url(), await page.title(), await heading().textContent()]).toEqual(before);
    expect(await overflowOf(page)).toBe(0);
  });

  it('says so if there is no such page, and leads back', async () => {
    page = await served.signedIn('viewer', '/no-such-page');
    expect(await heading().textContent()).toBe('No such page');
    await page.getByRole('link', { name: 'Go to the overview' }).click();
    await page.waitForURL(served.addressOf('/'));
  });

  it('keeps theme and form of times in the browser', async () => {
    page = await served.signedIn('viewer');
    const menu = page.locator('summary', { hasText: 'viewer' });
    await menu.click();
    await page.getByRole('button', { name: 'Dark' }).click();
    await page.getByRole('button', { name: 'Relative' }).click();
    expect(await axeFaults(page)).toEqual([]);
    await page.reload();
    await settled(page);
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    await page.getByText(/^As of now|^As of \d+.s ago/).waitFor();
  });

  it('says that the feed is lost while the service is away, and continues when it is back', async () => {
    page = await served.signedIn('viewer');
    await page.getByRole('banner').getByText('Live').waitFor();
    await served.service.restart();
    await page.getByText('New events do not reach this page').waitFor();
    await page.getByRole('banner').getByText('Live').waitFor();
    await page.getByText('New events do not reach this page').waitFor({ state: 'detached' });
  });

  it('shows the current and the chosen entries in forced colours, and gives each badge an edge', async () => {
    page = await served.signedIn('admin', '/queues?queue=callbacks', { width: 390 });
    await page.emulateMedia({ forcedColors: 'active' });
    await page.locator('header summary').click();
    const looks = await page.evaluate<Readonly<Record<string, readonly string[]>>>(`({
      ...Object.fromEntries(['.navigation a', '.tabs .tab', '[aria-label=Theme] button'].map((name) => [name,
        [...document.querySelectorAll(name)].map((one) => getComputedStyle(one).backgroundColor)])),
      badges: [...document.querySelectorAll('.badge')].map((one) => getComputedStyle(one).borderTopStyle),
    })`);
    expect(looks).toMatchObject({ badges: expect.arrayContaining(['solid']) as string[] });
    for (const [name, found] of Object.entries(looks)) {
      const differing = found.filter((one) => one !== found.at(-1));
      expect({ name, differing: differing.length }).toEqual({ name, differing: name === 'badges' ? 0 : 1 });
    }
    expect(await axeFaults(page)).toEqual([]);
  });

  it('moves only for those who did not ask for reduced motion', async () => {
    page = await served.newPage();
    await served.beginSession(page, 'viewer');
    const release: (() => void)[] = [];
    await page.route(/\/overview$/, async (route) => {
      await new Promise<void>((go) => release.push(go));
      await route.fallback();
    });
    await page.goto(served.addressOf('/'));
    await page.locator('.bone').first().waitFor();
    const moving = (): Promise<number> => page.evaluate<number>('document.getAnimations().length');
    expect(await moving()).toBe(0);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await moving()).toBeGreaterThan(0);
    for (const go of release) go();
    await settled(page);
  });

  it.each<Theme>(['light', 'dark'])('has targets of 24 px and a skip link in the %s theme on a phone', async (theme) => {
    page = await served.signedIn('admin', '/', { theme, width: 390 });
    await keys('Tab');
    expect(await focusedText(page)).toBe('Skip to the content');
    await keys('Enter');
    expect(await page.locator('main:focus').count()).toBe(1);
    const boxes = await page.locator('button:visible, summary:visible, nav a:visible, .figure-card').all();
    for (const target of boxes) {
      const { width = 0, height = 0 } = (await target.boundingBox()) ?? {};
      expect({ target: await target.textContent(), isSmall: width < 24 || height < 24 }).toMatchObject({ isSmall: false });
    }
  });
});
