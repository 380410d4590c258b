import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import {
  axeFaults,
  Console,
  faultsOfLooks,
  focusedText,
  HAS_BROWSER,
  settled,
  WITHOUT_BROWSER,
  type Person,
} from '../../support/console/console';
import { Merchant, type Accepted } from '../../support/merchants/merchant';
import { until } from '../../support/until';

jest.setTimeout(90_000);
const START_TIMEOUT_MS = 120_000;
const LIST_WAIT_MS = 15_000;

if (!HAS_BROWSER) process.stderr.write(`\n${WITHOUT_BROWSER}\n\n`);

(HAS_BROWSER ? describe : describe.skip)('the lists of orders and of activity in the console', () => {
  let served: Console;
  let acme: Merchant;
  let page: Page;
  const orders: Accepted[] = [];

  beforeAll(async () => {
    served = await Console.open();
    acme = new Merchant(served.service);
    orders.push(await acme.approvedSale(), await acme.approvedSale({ amount: '87.10' }));
  }, START_TIMEOUT_MS);
  afterAll(() => served?.close(), START_TIMEOUT_MS);
  afterEach(async () => {
    await page.context().close();
    expect(served.faults).toEqual([]);
  });

  const open = async (path: string, person: Person = 'investigator'): Promise<void> => {
    page = await served.signedIn(person, path);
  };
  const table = (name: string | RegExp = /^Orders/) => page.getByRole('table', { name });
  const shownOrders = async (): Promise<readonly string[]> => {
    await settled(page);
    return table().locator('tbody th').allTextContents();
  };
  /** The list follows the address. */
  const listed = (ids: readonly string[]): Promise<unknown> => {
    let seen: readonly string[] = [];
    return until(
      async () => {
        seen = await shownOrders();
        return JSON.stringify([...seen].sort()) === JSON.stringify([...ids].sort()) ? true : undefined;
      },
      { what: `the orders ${ids.join(', ')}`, timeoutMs: LIST_WAIT_MS, seen: () => seen },
    );
  };
  const button = (name: string | RegExp) => page.getByRole('button', { name });
  const exported = async (format: string): Promise<string> => {
    await page.locator('summary', { hasText: 'Export' }).click();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: format, exact: true }).click()]);
    expect(download.suggestedFilename()).toMatch(/^(orders|activity)-\d{8}T\d{6}Z\.(csv|ndjson)$/);
    return readFileSync(await download.path(), 'utf8');
  };

  it('finds an order by amount and last four digits, and the address keeps the filters', async () => {
    await open('/orders');
    await listed(orders.map(({ orderId }) => orderId));
    const quick = page.getByRole('search', { name: 'Orders' });
    await quick.getByLabel('Amount').fill('87.10');
    await quick.getByLabel('Last four digits').fill('11');
    await page.keyboard.press('Enter');
    // The first field at fault gets the focus, and its fault is tied to it.
    await page.getByText('Four digits.').waitFor();
    expect(await page.locator('input:focus').getAttribute('aria-invalid')).toBe('true');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('1111');
    await quick.getByLabel('Currency').fill('usd');
    await page.keyboard.press('Enter');
    await page.waitForURL(/lastFour=1111/);
    const second = orders.slice(1, 2);
    await listed(second.map(({ orderId }) => orderId));
    await page.reload();
    await listed(second.map(({ orderId }) => orderId));
    await button('Remove filter Amount: 87.10 USD').waitFor();
  });

  it('says that an amount needs its currency before the form is sent, and fills in the only one', async () => {
    await open('/orders?lastFour=1111');
    await listed(orders.map(({ orderId }) => orderId));
    const quick = page.getByRole('search', { name: 'Orders' });
    const currency = quick.getByLabel('Currency');
    await quick.getByLabel('Amount').fill('87.10');
    await quick.getByText('Needed with an amount.').waitFor();
    expect([await currency.getAttribute('required'), await currency.inputValue()]).toEqual(['', '']);
    await served.show(page, '/orders');
    await listed(orders.map(({ orderId }) => orderId));
    await quick.getByLabel('Amount').fill('87.10');
    expect(await currency.inputValue()).toBe('USD');
    await served.show(page, '/orders?amountFrom=87.10&amountTo=87.10&lastFour=0000');
    await quick.getByText('The list ignores the amount until it has a currency.').waitFor();
    await page.getByText('No entry matches these filters').waitFor();
  });

  it('keeps the head of a long list in view at the end of the page', async () => {
    page = await served.newPage();
    await served.beginSession(page, 'investigator');
    await page.route(/\/audit\/orders\?/, async (route) => {
      const answer = await route.fetch();
      const [first] = ((await answer.json()) as { orders: readonly object[] }).orders;
      const long = Array.from({ length: 150 }, (_, index) => ({ ...first, orderId: String(1_000 + index) }));
      return route.fulfill({ response: answer, json: { orders: long, next: 'more' } });
    });
    await served.show(page, '/orders');
    for (const width of [1_440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.evaluate("document.querySelector('.table-region').scrollTop = 1000; window.scrollTo(0, document.body.scrollHeight)");
      const top = async (selector: string): Promise<{ y: number; height: number }> => {
        const box = await page.locator(selector).first().boundingBox();
        if (box === null) throw new Error(`${selector} is not there`);
        return box;
      };
      const banner = await top('.banner');
      expect((await top('thead th')).y).toBeGreaterThanOrEqual(banner.y + banner.height);
    }
  });

  it('removes a filter by keyboard', async () => {
    await open('/orders?status=declined&merchant=acme');
    await page.getByText('No entry matches these filters').waitFor();
    await button('Remove filter Status: Declined').press('Enter');
    await page.waitForURL((url) => !url.searchParams.has('status'));
    await listed(orders.map(({ orderId }) => orderId));
    expect(new URL(page.url()).searchParams.get('merchant')).toBe('acme');
  });

  it('has a field for every filter, and keeps chosen columns in the address and the browser', async () => {
    await open('/orders');
    await button('All filters').click();
    const dialog = page.getByRole('dialog', { name: 'All filters' });
    await dialog.getByLabel('Operation').selectOption('sale');
    await dialog.getByLabel('Created from').fill('2026-01-01T00:00:00');
    await dialog.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL(/operation=sale/);
    expect(new URL(page.url()).searchParams.get('createdFrom')).toBe('2026-01-01T00:00:00.000Z');
    await listed(orders.map(({ orderId }) => orderId));
    await page.locator('summary', { hasText: 'Columns' }).click();
    await page.getByLabel('Receipt').check();
    await page.waitForURL(/columns=/);
    await page.getByRole('columnheader', { name: 'Receipt' }).waitFor();
    await served.show(page, '/orders');
    await page.getByRole('columnheader', { name: 'Receipt' }).waitFor();
  });

  it('saves a view in the browser, and opens it again', async () => {
    await open('/orders?status=approved');
    await page.locator('summary', { hasText: 'Views' }).click();
    await button('Save these filters…').click();
    await page.getByLabel('Name').fill('Approved ones');
    await page.keyboard.press('Enter');
    await served.show(page, '/orders');
    await page.locator('summary', { hasText: 'Views' }).click();
    await page.getByRole('link', { name: 'Approved ones' }).click();
    await page.waitForURL(/status=approved/);
    await button('Remove filter Status: Approved').waitFor();
  });

  it('exports the orders of the filters as CSV and NDJSON', async () => {
    await open('/orders?currency=USD');
    const csv = (await exported('CSV')).trim().split('\r\n');
    expect(csv).toHaveLength(orders.length + 1);
    expect(csv[0]).toContain('orderId');
    const rows = (await exported('NDJSON')).trim().split('\n');
    expect(rows.map((row) => (JSON.parse(row) as { orderId: string }).orderId)).toEqual(await shownOrders());
  });

  it('moves by j, opens by Enter, and announces new orders without moving the list', async () => {
    await open('/orders');
    const [first] = await shownOrders();
    await page.locator('.feed').getByText('Live').waitFor();
    const sold = await acme.approvedSale();
    orders.push(sold);
    const { orderId } = sold;
    await button(/1 new order: show/).waitFor();
    expect(await shownOrders()).not.toContain(orderId);
    await page.keyboard.press('j');
    expect(await focusedText(page)).toBe(first);
    await button(/1 new order: show/).click();
    await table().getByText(orderId).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/orders\/\d+/);
    await page.locator('h1:focus').waitFor();
  });

  it('shows actions of operators, by person and kind, and exports the shown entries', async () => {
    await open('/orders');
    await page.context().close();
    await open('/activity?kind=query&person=investigator', 'admin');
    const activity = table('Activity, newest first');
    await until(
      async () => {
        await settled(page);
        if ((await activity.getByText('List orders').count()) > 0) return true;
        await button('Reload').click();
        return undefined;
      },
      { what: 'the recorded query' },
    );
    const kinds = await activity.locator('tbody tr td:nth-child(3)').allTextContents();
    expect(new Set(kinds)).toEqual(new Set(['Query']));
    const rows = (await exported('NDJSON')).trim().split('\n');
    expect(rows).toHaveLength(kinds.length);
    await button('Remove filter Person: investigator').press('Enter');
    await page.waitForURL((url) => !url.searchParams.has('person'));
    await button('Remove filter Kind: Query').click();
    await page.waitForURL((url) => !url.searchParams.has('kind'));
    await activity.getByText('Query', { exact: true }).first().waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Show queries too' }).press('Enter');
    await page.waitForURL(/kind=all/);
    await activity.getByText('Query', { exact: true }).first().waitFor();
    expect(await focusedText(page)).toBe('Leave queries out');
  });

  it('shows the configuration in force and its history, but not to an operator of one merchant', async () => {
    await open('/activity?tab=configuration', 'admin');
    await page.getByText('It is the first recorded configuration.').waitFor();
    await page.getByText('Show the whole configuration').click();
    await page.locator('.configuration-copy').getByText('sim-3ds').waitFor();
    expect(await page.getByRole('region', { name: 'History' }).getByRole('listitem').count()).toBe(1);
    await page.context().close();
    await open('/activity', 'limited');
    await page.getByText('Your own, and what concerns orders of acme.').waitFor();
    expect(await page.getByRole('link', { name: 'Configuration', exact: true }).count()).toBe(0);
  });

  it('has no fault of axe and no sideways scrolling', async () => {
    await open('/orders?currency=USD');
    await button('All filters').click();
    expect(await axeFaults(page)).toEqual([]);
    const found = [];
    for (const path of ['/orders?currency=USD', '/activity', '/activity?tab=configuration'])
      found.push(...(await faultsOfLooks(served, { person: 'admin', path })));
    expect(found).toEqual([]);
  });
});
