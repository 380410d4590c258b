import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { makeSignInCode } from '@app/configuration';
import { systemClock } from '@app/kernel';
import { Console, HAS_BROWSER, settled, WITHOUT_BROWSER } from '../../support/console/console';
import { Merchant } from '../../support/merchants/merchant';
import { TEST_CARD_NUMBER } from '../../support/merchants/signed-requests';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';

jest.setTimeout(60_000);
const START_TIMEOUT_MS = 120_000;
const PERSONAL = 'canary@payer.example';
const SEALED = /\bv1\.[\w-]{10,}\.[\w-]{20,}/;
const CARD_DIGITS = TEST_CARD_NUMBER.slice(4, -4);
const TABS = ['timeline', 'attempts', 'callbacks', 'disputes', 'proof', 'related'];
const OTHER_SITE = 'http://other.example';

if (!HAS_BROWSER) process.stderr.write(`\n${WITHOUT_BROWSER}\n\n`);

(HAS_BROWSER ? describe : describe.skip)('the limits of the console', () => {
  let served: Console;
  let page: Page;
  let orderId: string;

  beforeAll(async () => {
    served = await Console.open();
    ({ orderId } = await new Merchant(served.service).approvedSale({ email: PERSONAL }));
  }, START_TIMEOUT_MS);
  afterAll(() => served?.close(), START_TIMEOUT_MS);
  afterEach(async () => {
    await page.context().close();
    expect(served.faults).toEqual([]);
  });

  it('each address shows the same screen after a reload, and no answer contains a card number, personal data or a sealed text', async () => {
    page = await served.signedIn('admin');
    const bodies: Promise<readonly (readonly [url: string, body: string])[]>[] = [];
    page.on('response', (response) => {
      // The feed never ends. A page that is left ends its requests, whose bodies cannot be read.
      if (response.url().endsWith('/feed')) return;
      bodies.push(
        response.text().then(
          (body) => [[response.url(), body]],
          () => [],
        ),
      );
    });
    const screens = ['/', '/orders', '/queues', '/gates', '/what-if', '/activity', '/log', '/approvals', '/no/such.page'];
    for (const path of [...screens, ...TABS.map((tab) => `/orders/${orderId}?tab=${tab}`)]) {
      await served.show(page, path);
      const before = [page.url(), await page.locator('h1').textContent()];
      await page.reload();
      await settled(page);
      expect([page.url(), await page.locator('h1').textContent()]).toEqual(before);
    }
    const ofPort = (await Promise.all(bodies)).flat().filter(([url]) => !url.includes('/console'));
    expect(ofPort.some(([url, body]) => url.includes(`/orders/${orderId}`) && body.includes('OrderAccepted'))).toBe(true);
    for (const [url, body] of ofPort)
      for (const forbidden of [CARD_DIGITS, PERSONAL, SEALED])
        expect([url, forbidden, typeof forbidden === 'string' ? body.includes(forbidden) : forbidden.test(body)]).toEqual([
          url,
          forbidden,
          false,
        ]);
  });

  it('the first screen loads the scripts that its page names, and no other', async () => {
    page = await served.newPage();
    await served.beginSession(page, 'viewer');
    const loaded: string[] = [];
    page.on('request', (request) => {
      if (request.resourceType() === 'script') loaded.push(new URL(request.url()).pathname);
    });
    await served.show(page, '/');
    const built = readFileSync(join(__dirname, '../../../dist/apps/console/index.html'), 'utf8');
    const named = [...built.matchAll(/"(\/console\/assets\/[^"]+\.js)"/g)].map(([, script]) => script);
    expect(loaded.sort()).toEqual(named.sort());
  });

  describe('from a page of another site', () => {
    /** With an own context, because the page of another site is no fault here. */
    const onOtherSite = async (html: string): Promise<Page> => {
      const context = await served.browser.newContext();
      await context.route(`${OTHER_SITE}/**`, (route) => route.fulfill({ contentType: 'text/html', body: html }));
      const opened = await context.newPage();
      await served.beginSession(opened, 'viewer');
      await opened.goto(`${OTHER_SITE}/`);
      return opened;
    };

    it('a link opens the screen of a person who is signed in', async () => {
      page = await onOtherSite(`<a href="${served.addressOf('/log')}">the log</a>`);
      await page.getByRole('link').click();
      await page.getByRole('navigation', { name: 'Screens' }).waitFor();
      expect(page.url()).toBe(served.addressOf('/log'));
    });

    it('a frame stays empty', async () => {
      page = await onOtherSite(`<iframe src="${served.addressOf('/')}"></iframe>`);
      const [, frame] = page.frames();
      expect(frame).toBeDefined();
      await page.waitForLoadState('load');
      expect(await frame?.locator('#root').count()).toBe(0);
    });

    it('a script cannot read an answer of the port', async () => {
      page = await onOtherSite('<p>nothing</p>');
      const read = await page.evaluate<string>(
        `fetch('${served.service.operatorUrl}/session', { credentials: 'include' }).then(() => 'read', () => 'refused')`,
      );
      expect(read).toBe('refused');
    });
  });

  it('the link of a sandbox signs in once, and leaves no code in the address', async () => {
    const sandbox = await Console.open(sandboxConfiguration());
    try {
      const link = (): string => {
        const code = makeSignInCode(join(sandbox.service.dataDir, 'operator-token'), systemClock.now());
        return sandbox.addressOf(`#code=${code}`);
      };
      const used = link();
      page = await sandbox.newPage();
      await page.goto(used);
      await page.getByRole('navigation', { name: 'Screens' }).waitFor();
      expect(page.url()).not.toContain('code');
      const other = await sandbox.newPage();
      await other.goto(used);
      await other.getByText('This link was used before').waitFor();
      expect(other.url()).not.toContain('code');
      await other.goto('about:blank');
      await other.goto(link());
      await other.getByRole('navigation', { name: 'Screens' }).waitFor();
      // A code that the page did not need is not used after the sign-out.
      await other.goto('about:blank');
      await other.goto(link());
      await other.locator('header summary').click();
      await other.getByRole('button', { name: 'Sign out' }).click();
      await other.getByLabel('Token').fill('no token');
      await other.keyboard.press('Enter');
      await other.getByText('No operator has this token').waitFor();
      expect(sandbox.faults).toEqual([]);
    } finally {
      await sandbox.close();
    }
  });
});
