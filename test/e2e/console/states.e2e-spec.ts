import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import { Console, faultsInPlace, HAS_BROWSER, settled, WITHOUT_BROWSER, type Person } from '../../support/console/console';
import { forgeLog, type LogRow } from '../../support/forged-log';
import { Merchant, type Accepted } from '../../support/merchants/merchant';
import { OTHER_CONTROL_KEY } from '../../support/processes/sandbox-configuration';

jest.setTimeout(60_000);
const START_TIMEOUT_MS = 120_000;

if (!HAS_BROWSER) process.stderr.write(`\n${WITHOUT_BROWSER}\n\n`);

(HAS_BROWSER ? describe : describe.skip)('the states of the console', () => {
  let served: Console;
  let page: Page;
  /** All orders are of this merchant, so that `limited` sees none. */
  let other: Merchant;
  let sound: Accepted;

  beforeAll(async () => {
    served = await Console.open();
    other = new Merchant(served.service, { login: 'other', controlKey: OTHER_CONTROL_KEY, at: '9001' });
    sound = await other.approvedSale();
  }, START_TIMEOUT_MS);
  afterAll(() => served?.close(), START_TIMEOUT_MS);
  afterEach(async () => {
    await page?.context().close();
    expect(served.faults).toEqual([]);
  });

  const open = async (person: Person, path: string): Promise<void> => {
    page = await served.signedIn(person, path);
  };
  const main = () => page.getByRole('main');
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const shows = (text: RegExp | string): Promise<void> => main().getByText(text).first().waitFor();
  /** The list as the port answers it, with some members changed. */
  const changed =
    (members: object) =>
    async (route: Route): Promise<void> => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...((await answer.json()) as object), ...members } });
    };
  const openWith = async (person: Person, path: string, asked: RegExp, members: object): Promise<void> => {
    page = await served.newPage();
    await page.route(asked, changed(members));
    await served.beginSession(page, person);
    await served.show(page, path);
  };

  it('an erased order keeps its facts, and names the destroyed texts', async () => {
    const order = await other.approvedSale({ email: 'erased@payer.example' });
    await open('admin', `/orders/${order.orderId}`);
    await page.locator('summary', { hasText: 'More' }).click();
    await button('Erase personal data').click();
    await page.getByLabel('Reason').fill('Asked by letter');
    expect(await faultsInPlace(page, 'the dialog of an erasure')).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Erase for good' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await shows('Personal data erased');
    await shows(/on request: keys of texts 1, cards 1\. The other facts did not change\./);
    expect(await page.locator('h1').innerText()).toMatch(/Approved\s+Erased$/);
    await shows('Order accepted');
    expect(await faultsInPlace(page, 'erased')).toEqual([]);
  });

  describe('with a damaged record', () => {
    let damaged: Accepted;
    let undo: LogRow;
    const forge = (change: Parameters<typeof forgeLog>[1]): void => forgeLog(join(served.service.dataDir, 'events.sqlite'), change);

    beforeAll(async () => {
      damaged = await other.approvedSale();
      // A service keeps newly stored events in memory, and does not start on a small log that is damaged.
      await served.service.restart();
      forge((log) => {
        const rows = log.rows();
        const accepted = rows.find(({ type, data }) => type === 'OrderAccepted' && data.includes(damaged.orderId));
        const started = rows.find(({ type, stream }) => type === 'AttemptStarted' && stream === accepted?.stream);
        if (started === undefined) throw new Error('the order has no attempt');
        undo = started;
        log.put({ ...started, data: started.data.replace('sim-a', 'sim-b') });
      });
    }, START_TIMEOUT_MS);
    afterAll(() => forge((log) => log.put(undo)));

    it('an order says what of it is damaged, in plain words, and shows the rest', async () => {
      await open('operator', `/orders/${damaged.orderId}`);
      await main().getByRole('alert').waitFor();
      expect(await main().getByRole('alert').innerText()).toMatch(
        /^The record is damaged\s+An event of it was changed, lost or moved.*orch log verify/,
      );
      await main().locator('.entry', { hasText: 'Order accepted' }).waitFor();
      const broken = main().locator('.entry', { hasText: 'later events are not shown' });
      expect(await broken.innerText()).toMatch(/#3[\s\S]*AttemptApproved/);
      expect(await main().locator('.entry', { hasText: 'Order approved' }).count()).toBe(0);
      expect(await button('Refund').count()).toBe(0);
      expect(await faultsInPlace(page, 'damaged')).toEqual([]);
      await page.getByRole('navigation', { name: 'Of this order' }).getByRole('link', { name: 'Proof' }).click();
      await page.getByRole('button', { name: /^Check 3\sevents$/ }).click();
      await shows(/^\d\sevents? not verified$/);
    });

    it('another order is not affected', async () => {
      await open('operator', '/orders');
      await page.getByRole('link', { name: damaged.orderId }).waitFor();
      await page.getByRole('link', { name: sound.orderId }).click();
      await page.getByRole('region', { name: 'Moment', exact: true }).waitFor();
      expect(await main().getByRole('alert').count()).toBe(0);
      expect(await button('Refund').count()).toBe(1);
    });
  });

  describe('after the service was killed', () => {
    const live = (): Promise<void> => page.getByRole('banner').getByText('Live').waitFor();
    const lost = (): Promise<void> => shows('New events do not reach this page');

    it('the feed continues at its position, and an event of the gap appears without a reload', async () => {
      await open('operator', '/orders');
      await live();
      const { orderId } = await other.approvedSale();
      await button('1 new order: show').waitFor();
      const positions: (string | undefined)[] = [];
      page.on('request', (request) => {
        if (new URL(request.url()).pathname === '/feed') positions.push(request.headers()['last-event-id']);
      });
      await served.service.kill();
      await lost();
      await page.getByRole('banner').getByText('Feed lost').waitFor();
      expect(await faultsInPlace(page, 'feed lost')).toEqual([]);
      // The page stays away until the order is stored.
      await page.context().setOffline(true);
      await served.service.restart();
      const second = await other.approvedSale();
      await page.context().setOffline(false);
      await live();
      await button('2 new orders: show').click();
      await page.getByRole('link', { name: second.orderId }).waitFor();
      await page.getByRole('link', { name: orderId }).waitFor();
      await page.getByText('New events do not reach this page').waitFor({ state: 'detached' });
      expect(positions.at(-1)).toMatch(/\d/);
    });

    it('the feed misses nothing either if it had received no event, and something else answered for the service', async () => {
      await open('operator', '/orders');
      await live();
      await page.route(/\/feed(\?|$)/, (route) => route.fulfill({ status: 502, body: '' }));
      await served.service.kill();
      await lost();
      await served.service.restart();
      const { orderId } = await other.approvedSale();
      await page.unroute(/\/feed(\?|$)/);
      await live();
      // Only the event or the whole list again, if the page knew no position.
      await page.getByRole('link', { name: orderId }).or(button('1 new order: show')).waitFor();
      if (await button('1 new order: show').isVisible()) await button('1 new order: show').click();
      await page.getByRole('link', { name: orderId }).waitFor();
    });

    it('the feed begins again, and the lists with it, if its position is refused', async () => {
      await open('operator', '/orders');
      await live();
      const first = await other.approvedSale();
      await button('1 new order: show').click();
      await page.getByRole('link', { name: first.orderId }).waitFor();
      let refusals = 0;
      await page.route(/\/feed/, async (route) => {
        if (!route.request().url().includes('from=')) return route.fallback();
        refusals += 1;
        return route.fulfill({ status: 400, body: '' });
      });
      await page.route(/\/feed$/, (route) => route.fulfill({ status: 502, body: '' }), { times: 1 });
      await served.service.kill();
      await lost();
      await served.service.restart();
      const second = await other.approvedSale();
      await live();
      await page.getByRole('link', { name: second.orderId }).waitFor();
      expect(refusals).toBe(1);
    });

    it('a question says that the page is offline, and is asked again by its button', async () => {
      await open('operator', '/gates');
      await live();
      await served.service.kill();
      await page.getByRole('navigation', { name: 'Screens' }).getByText('Orders').click();
      await main().getByRole('alert').getByText('Offline').waitFor();
      expect(await faultsInPlace(page, 'offline')).toEqual([]);
      await served.service.restart();
      await button('Try again').click();
      await page.getByRole('link', { name: sound.orderId }).waitFor();
    });
  });

  it.each([
    ['/orders', /\/audit\/orders\?/, { isCutShort: true }, 'This list is cut short'],
    ['/orders', /\/audit\/orders\?/, { index: 'behind' }, 'This list is behind the log'],
    ['/orders', /\/audit\/orders\?/, { index: 'missing' }, 'This list is not built yet'],
    ['/orders', /\/audit\/orders\?/, { areReferencesCut: true }, 'Not all orders of this card are here'],
    ['/queues?queue=callbacks', /\/deliveries\?/, { index: 'behind' }, 'This list is behind the log'],
    ['/activity', /\/activity\?/, { index: 'behind' }, 'This list is behind the log'],
  ])('%s says so if its answer to %s has %j', async (path, asked, members, text) => {
    await openWith('admin', path, asked, members);
    await shows(text);
    expect(await faultsInPlace(page, text)).toEqual([]);
  });

  it('a page beyond the role is refused, and asks the port for nothing', async () => {
    await open('viewer', '/');
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
    for (const path of ['/orders', `/orders/${sound.orderId}`, '/what-if', '/approvals', '/activity', '/queues?queue=cases']) {
      await served.show(page, path);
      await shows('Refused');
      await shows(/needs? the role investigator/);
    }
    expect(asked.filter((path) => /^\/(audit|orders|what-ifs|approvals|activity|reconciliation)/.test(path))).toEqual([]);
    expect(await faultsInPlace(page, 'refused')).toEqual([]);
  });

  it('a question that the port refuses says so, and how to continue', async () => {
    await open('limited', '/activity?tab=configuration');
    await shows('Refused');
    await shows('Your role or your merchants do not include this. Ask an administrator.');
    await served.show(page, `/orders/${sound.orderId}`);
    await shows('Not found');
    await page.getByRole('link', { name: 'All orders' }).waitFor();
    expect(await faultsInPlace(page, 'not found')).toEqual([]);
  });

  it.each([
    ['/orders', 'There are no orders yet'],
    ['/queues?queue=unknown', 'Every outcome is known'],
    ['/queues?queue=callbacks', 'Every callback was delivered'],
    ['/queues?queue=disputes', 'No dispute waits for an answer'],
    ['/queues?queue=cases', 'The log and the settlements agree'],
    ['/approvals', /^No/],
  ])('%s says that there is nothing', async (path, text) => {
    await open('limited', path);
    await shows(text);
    expect(await button('Remove all filters').count()).toBe(0);
    expect(await faultsInPlace(page, `empty ${path}`)).toEqual([]);
  });

  it.each(['/orders?status=declined', '/queues?queue=callbacks&gate=none&state=exhausted', '/activity?person=nobody'])(
    '%s says that the filters leave nothing, and removes them',
    async (path) => {
      await open('admin', path);
      await shows('No entry matches these filters');
      expect(await faultsInPlace(page, `filtered ${path}`)).toEqual([]);
      await button('Remove all filters').click();
      await settled(page);
      await page.getByText('No entry matches these filters').waitFor({ state: 'detached' });
    },
  );
});
