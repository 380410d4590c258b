import { source as AXE } from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { HAS_BROWSER, openBrowser, WITHOUT_BROWSER } from '../../support/http/browser';
import { Merchant, type Accepted } from '../../support/merchants/merchant';
import type { Fields } from '../../support/merchants/signed-requests';
import { Payer } from '../../support/merchants/payer';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';
import { APP_ADDRESS, ShopSite } from '../../support/merchants/shop-site';

jest.setTimeout(60_000);

const START_TIMEOUT_MS = 180_000;
const PHONE = { width: 320, height: 568 };
const NAME = `Acme & <b>Søns</b> of ${'x'.repeat(42)}`;
const CONTINUE = 'Continue';
const BANK = 'Your bank';

interface Judged {
  readonly violations: readonly { readonly id: string; readonly nodes: readonly { readonly html: string }[] }[];
}

if (!HAS_BROWSER) process.stderr.write(`\n${WITHOUT_BROWSER}\n\n`);

(HAS_BROWSER ? describe : describe.skip)('what a payer sees in a real browser, on a phone', () => {
  let browser: Browser;
  let service: Service;
  let shop: ShopSite;
  let acme: Merchant;
  let withScripts: BrowserContext;
  let withoutScripts: BrowserContext;
  /** A page without scripts, which could remove the checked content. */
  let judge: Page;
  const asked: string[] = [];

  const opened = async (javaScriptEnabled: boolean): Promise<BrowserContext> => {
    const context = await browser.newContext({ viewport: PHONE, isMobile: true, javaScriptEnabled });
    context.on('request', (request) => void asked.push(new URL(request.url()).origin));
    return context;
  };

  beforeAll(async () => {
    [browser, shop] = await Promise.all([openBrowser(), ShopSite.open()]);
    service = await Service.start({ configuration: sandboxConfiguration({ acme: { name: NAME, siteUrl: `${shop.url}/home?from=pay` } }) });
    acme = new Merchant(service);
    [withScripts, withoutScripts] = [await opened(true), await opened(false)];
    judge = await withScripts.newPage();
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await browser?.close();
    await service?.dispose();
    await shop?.close();
  }, START_TIMEOUT_MS);

  const challenged = async (fields: Fields = {}): Promise<{ order: Accepted; redirectTo: string }> => {
    const order = await acme.accepted(acme.sale({ cvv2: '321', ...fields }, { at: '1003' }));
    const status = await acme.statusWhen(order, ({ html }) => html !== undefined, 'the authentication page');
    return { order, redirectTo: status['redirect-to'] ?? '' };
  };
  const redirects = () => ({ redirect_success_url: `${shop.url}/thanks`, redirect_fail_url: `${shop.url}/sorry?a=1&b=2` });
  const visited = (path: string) => shop.visits.filter((visit) => visit.path === path);
  const answerBank = async (page: Page, password: string): Promise<void> => {
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Confirm' }).click();
  };

  const expectAccessible = async (html: string): Promise<void> => {
    await judge.setContent(html.replace(/<script>.*?<\/script>/s, ''));
    await judge.evaluate(AXE);
    for (const [colorScheme, run] of [
      ['light', 'axe.run()'],
      ['dark', "axe.run({ runOnly: ['color-contrast'] })"],
    ] as const) {
      await judge.emulateMedia({ colorScheme });
      const { violations } = await judge.evaluate<Judged>(run);
      expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toStrictEqual([]);
    }
  };

  /** Checks landmarks, headings, contrast in light and dark, visible text, and that a phone needs no sideways scrolling. */
  const expectReadable = async (page: Page, heading: string): Promise<void> => {
    await page.getByRole('heading', { level: 1, name: heading }).waitFor();
    expect(await page.locator('h1, main').count()).toBe(2);
    if (heading !== BANK) expect(await page.locator('header').textContent()).toBe(NAME);
    expect(await page.locator('main p').first().isVisible()).toBe(true);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width);
    // The content security policy must allow the page's own style.
    expect(await page.evaluate<string>('getComputedStyle(document.body).marginTop')).toBe('0px');
    await expectAccessible(await page.content());
  };

  it('with scripts, a challenge leads to the bank and back to the shop automatically [W578]', async () => {
    const { order, redirectTo } = await challenged(redirects());
    const page = await withScripts.newPage();
    await page.goto(redirectTo);
    await answerBank(page, 'hint');
    await page.waitForURL(`${shop.url}/thanks`);
    const { clientOrderId: client_orderid, orderId: orderid } = order;
    const control = acme.callbackControlOf('approved', order);
    expect(visited('/thanks')).toMatchObject([{ method: 'POST', fields: { status: 'approved', orderid, client_orderid, control } }]);
    await page.close();
  });

  it('a shop address that redirects into an app opens the app', async () => {
    const { redirectTo } = await challenged({ redirect_url: `${shop.url}/app` });
    const page = await (await browser.newContext({ viewport: PHONE, isMobile: true })).newPage();
    const opening = page.waitForEvent('request', (request) => request.url() === APP_ADDRESS);
    await page.goto(redirectTo);
    await answerBank(page, 'hint');
    await opening;
    await page.context().close();
  });

  it('without scripts, each page shows readable text and a button that continues [W575, W577, W579]', async () => {
    const { redirectTo } = await challenged(redirects());
    const page = await withoutScripts.newPage();
    const status = page.getByRole('status');
    await page.goto(redirectTo);
    await expectReadable(page, 'Card authentication');
    expect(await status.textContent()).toContain('You are being taken to your bank, which asks you to confirm the payment.');
    await page.getByRole('button', { name: CONTINUE }).click();
    await expectReadable(page, BANK);
    await answerBank(page, 'guess');
    await expectReadable(page, 'Payment not approved');
    expect(await status.textContent()).toContain(`You are being taken back to ${NAME}.`);
    await page.getByRole('button', { name: CONTINUE }).click();
    await page.waitForURL(`${shop.url}/sorry?a=1&b=2`);
    expect(visited('/sorry?a=1&b=2')).toMatchObject([{ method: 'POST', fields: { status: 'declined' } }]);
    await page.close();
  });

  it('an order without a redirect address ends with a link to the configured shop [W581]', async () => {
    const { redirectTo } = await challenged();
    const page = await withScripts.newPage();
    await page.goto(redirectTo);
    await answerBank(page, 'hint');
    await expectReadable(page, 'Payment approved');
    await page.getByRole('link', { name: `Back to ${NAME}` }).click();
    await page.waitForURL(`${shop.url}/home?from=pay`);
    await page.close();
  });

  it('a payment in progress shows its state, reloads without a script, and then shows the result [W578]', async () => {
    const { redirectTo } = await challenged(redirects());
    const [bank, page] = [await withoutScripts.newPage(), await withoutScripts.newPage()];
    await bank.goto(redirectTo);
    await bank.getByRole('button', { name: CONTINUE }).click();
    const way = (await bank.locator('form').getAttribute('action')) ?? '';
    await page.route(way, async (route) => {
      const response = await route.fetch();
      const { refresh, ...headers } = response.headers();
      expect(refresh).toBe('2');
      await route.fulfill({ response, headers });
    });
    await page.goto(way);
    await expectReadable(page, 'Payment in progress');
    await page.unroute(way);
    await page.getByRole('link', { name: 'Reload' }).click();
    await answerBank(bank, 'hint');
    await page.getByRole('heading', { name: 'Payment approved' }).waitFor();
    await Promise.all([page.close(), bank.close()]);
  });

  it('a bank page that was already answered offers a link to the result when reloaded [W581]', async () => {
    const { redirectTo } = await challenged();
    const page = await withScripts.newPage();
    await page.goto(redirectTo);
    await page.getByLabel('Password').waitFor();
    await new Payer(service).authenticate(redirectTo, 'hint');
    await page.reload();
    await page.getByText('already answered this request').waitFor();
    await expectReadable(page, BANK);
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByText('The payment was approved.').waitFor();
    await page.close();
  });

  it('a receipt is readable on a phone with any texts, and links back to the shop [W575, W582]', async () => {
    const order = await acme.accepted(acme.sale({ client_orderid: `${'x'.repeat(100)}<b>${Date.now()}` }));
    const { 'receipt-id': receiptId = '' } = await acme.finalStatus(order);
    const page = await withScripts.newPage();
    await page.goto(`${service.baseUrl}/paynet/view-receipt/1001/${receiptId}/`);
    await expectReadable(page, 'Receipt');
    const text = (await page.locator('main').textContent()) ?? '';
    expect(text).toContain('VISA **** 1111');
    expect(text).not.toMatch(/444433|2{4}1111/);
    await page.getByRole('link', { name: `Back to ${NAME}` }).click();
    await page.waitForURL(`${shop.url}/home?from=pay`);
    await page.close();
  });

  it.each([
    [`payer/p${'A'.repeat(64)}`, 'There is no such payment.'],
    [`view-receipt/1001/${'a'.repeat(24)}`, 'There is no such receipt.'],
    ['simulator/authentication/sim-3ds/none', 'No payment is waiting for authentication here.'],
  ])('%s shows a 404 page: %s [W579]', async (path, words) => {
    const page = await withScripts.newPage();
    const answer = await page.goto(`${service.baseUrl}/paynet/${path}`);
    expect(answer?.status()).toBe(404);
    await page.getByText(words).waitFor();
    await expectAccessible(await page.content());
    await page.close();
  });

  it('pages load nothing from other origins [W576]', async () => {
    const { redirectTo } = await challenged();
    const page = await withScripts.newPage();
    await page.goto(redirectTo);
    await answerBank(page, 'hint');
    await page.getByRole('link', { name: `Back to ${NAME}` }).waitFor();
    expect([...new Set(asked)].filter((origin) => origin !== shop.url)).toStrictEqual([new URL(service.baseUrl).origin]);
    await page.close();
  });
});
