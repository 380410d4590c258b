import type { Page } from 'playwright-core';
import { CallbackReceiver } from '../../support/merchants/callback-receiver';
import { Merchant, type Accepted } from '../../support/merchants/merchant';
import {
  axeFaults,
  Console,
  consoleConfiguration,
  focusedText,
  HAS_BROWSER,
  overflowOf,
  settled,
  WITHOUT_BROWSER,
  type Person,
} from '../../support/console/console';

jest.setTimeout(60_000);
const START_TIMEOUT_MS = 120_000;

if (!HAS_BROWSER) process.stderr.write(`\n${WITHOUT_BROWSER}\n\n`);

(HAS_BROWSER ? describe : describe.skip)('the order screen of the console', () => {
  let receiver: CallbackReceiver;
  let served: Console;
  let acme: Merchant;
  let page: Page;

  beforeAll(async () => {
    receiver = await CallbackReceiver.start();
    const approvals = { refund: { from: '9.00 USD' } };
    served = await Console.open(consoleConfiguration({ ports: [receiver.port], whole: { approvals } }));
    acme = new Merchant(served.service);
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await served?.close();
    await receiver?.stop();
  }, START_TIMEOUT_MS);
  afterEach(async () => {
    await page.context().close();
    expect(served.faults).toEqual([]);
  });

  const sale = (): Promise<Accepted> => acme.approvedSale({ server_callback_url: receiver.url('/of-the-console') });
  const open = async (person: Person, { orderId }: Accepted, search = ''): Promise<void> => {
    page = await served.signedIn(person, `/orders/${orderId}${search}`);
    await page.getByRole('region', { name: 'Moment', exact: true }).waitFor();
  };
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const fields = async (): Promise<string> => (await page.locator('.moment-state .fields').innerText()).replaceAll(/\s+/g, ' ');
  const submit = async (verb: string, reason = 'Asked by the shop'): Promise<void> => {
    await page.getByLabel('Reason').fill(reason);
    await page.getByRole('dialog').getByRole('button', { name: verb, exact: true }).click();
  };

  it('steps the moment by keyboard, with the state and its address', async () => {
    await open('investigator', await sale());
    expect(await page.locator('h1').innerText()).toMatch(/^10\.42\sUSD\s+Approved$/);
    expect(await fields()).toContain('Status processing → approved');
    await page.keyboard.press('[');
    await page.waitForURL(/[?&]at=\d+/);
    await page.getByRole('heading', { name: 'State at this moment' }).waitFor();
    expect(await fields()).toContain('Status processing');
    await page.locator('.entry.later', { hasText: 'Order approved' }).getByText('not yet at this moment').waitFor();
    await page.keyboard.press(']');
    await page.getByRole('heading', { name: 'State now' }).waitFor();
    await page.waitForURL((url) => !url.searchParams.has('at'));
  });

  it('says why a field is so, back to the request', async () => {
    await open('investigator', await sale());
    await button('Why is Status so').click();
    const dialog = page.getByRole('dialog', { name: 'Why: Status' });
    await dialog.getByText('Order approved').waitFor();
    expect(await dialog.innerText()).toMatch(/Attempt 1 begun[\s\S]*Order accepted[\s\S]*The request/);
    await page.keyboard.press('Escape');
    expect(await focusedText(page)).toContain('Status so');
  });

  it('shows the difference of two moments, which survives a reload', async () => {
    await open('investigator', await sale());
    await button('Compare').click();
    const earlier = page.getByRole('slider', { name: 'Earlier moment' });
    await earlier.focus();
    await page.keyboard.press('Home');
    await page.waitForURL(/[?&]from=0/);
    const before = await fields();
    expect(before).toContain('Status processing → approved');
    expect(before).toContain('Gate none → ');
    await page.reload();
    await settled(page);
    await page.getByRole('heading', { name: 'Difference' }).waitFor();
    expect(await fields()).toBe(before);
    await button('End comparison').click();
    await page.waitForURL((url) => !url.searchParams.has('from'));
  });

  it('filters the timeline by lane and words, and shows the JSON of an entry on demand', async () => {
    await open('investigator', await sale());
    const entries = page.locator('.entry');
    const ofPayment = await page.getByText(/^Now, event (\d+) of \1 of the payment$/).innerText();
    const others = (await entries.count()) - Number(/\d+/.exec(ofPayment)?.[0]);
    await page.getByText(new RegExp(`events of the payment, without ${others}\\sentr`)).waitFor();
    await page.getByRole('button', { name: /^Gate \d/ }).click();
    await page.waitForURL(/without=gate/);
    expect((await entries.allInnerTexts()).join()).not.toContain('Attempt 1 begun');
    await page.getByRole('button', { name: /^Gate \d/ }).click();
    await page.getByLabel('Filter the timeline').fill('attempt begun');
    await page.waitForURL(/words=attempt/);
    expect(await entries.count()).toBe(1);
    await entries.locator('.entry-head').click();
    await page.waitForURL(/entry=\d/);
    await page.getByText('JSON', { exact: true }).click();
    expect(await page.locator('.entry-json pre').innerText()).toContain('"attemptKey"');
  });

  it('has no fault of axe in any tab and theme, and fits 320 px', async () => {
    const { orderId } = await sale();
    page = await served.signedIn('operator', `/orders/${orderId}`);
    const found: string[] = [];
    for (const [tab, text] of [
      ['Timeline', 'Order accepted'],
      ['Attempts and routing', 'Why this gate'],
      ['Callbacks', 'webhook-id'],
      ['Disputes', 'No dispute'],
      ['Proof', ''],
      ['Related orders', 'Reveal the payer first'],
    ] as const) {
      await page.getByRole('navigation', { name: 'Of this order' }).getByRole('link', { name: tab }).click();
      await settled(page);
      if (text !== '') await page.getByText(text).first().waitFor();
      for (const theme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: theme });
        found.push(...(await axeFaults(page)).map((fault) => `${tab}, ${theme}: ${fault}`));
      }
      await page.setViewportSize({ width: 320, height: 900 });
      const overflow = await overflowOf(page);
      if (overflow > 0) found.push(`${tab}: ${overflow} px wider than 320 px`);
      await page.setViewportSize({ width: 1_440, height: 900 });
    }
    expect(found).toEqual([]);
  });

  it.each([390, 320])('keeps card number and times of its head whole at %d px', async (width) => {
    const { orderId } = await sale();
    page = await served.signedIn('operator', `/orders/${orderId}`, { width });
    const lines = await page.evaluate<readonly number[]>(
      "[...document.querySelectorAll('.order-head :is(.number, .time)')].map((one) => one.getClientRects().length)",
    );
    expect(lines).toEqual([1, 1]);
  });

  it('has no fault of axe in its dialogs, notices and comparison', async () => {
    const order = await sale();
    await open('admin', order, '?from=0&entry=1');
    const found: string[] = [];
    const judge = async (state: string): Promise<void> => {
      for (const theme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: theme });
        found.push(...(await axeFaults(page)).map((fault) => `${state}, ${theme}: ${fault}`));
      }
    };
    await judge('difference');
    await button('Why is Stage so').click();
    await judge('why');
    await page.keyboard.press('Escape');
    await page.locator('summary', { hasText: 'More' }).click();
    await judge('menu');
    await button('Place legal hold').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Place hold', exact: true }).click();
    await page.getByText('Say why, in a few words').waitFor();
    await judge('a reason is missing');
    await submit('Place hold', 'Asked by a court');
    await page.getByText('Under legal hold').waitFor();
    await judge('legal hold');
    expect(found).toEqual([]);
  });

  it('offers to resolve a missing outcome, and shows why the port refuses it', async () => {
    const order = await sale();
    page = await served.newPage();
    await served.beginSession(page, 'operator');
    // The simulated gate answers too soon for a person, so that only this page sees the outcome as unknown.
    await page.route(/\/orders\/\d+$/, async (route) => {
      if (new URL(route.request().url()).pathname.startsWith('/console')) return route.fallback();
      const answer = await route.fetch();
      const body = (await answer.json()) as { order: object };
      const unknown = { status: 'processing', stage: 'sale_unknown', finalAt: null };
      return route.fulfill({ response: answer, json: { ...body, ...unknown } });
    });
    await served.show(page, `/orders/${order.orderId}`);
    expect(await page.locator('h1').innerText()).toMatch(/Unknown$/);
    await button('Resolve outcome').click();
    await page.getByLabel('What the gate’s records show').selectOption('approved');
    await submit('Resolve');
    await page.getByRole('alert').getByText('Refused').waitFor();
  });

  it('sends a callback again', async () => {
    const order = await sale();
    await open('operator', order, '?tab=callbacks');
    await page.getByText('HTTP 200').waitFor();
    await button('Resend').click();
    await submit('Resend');
    await page.getByText('The callback is due now').waitFor();
    await page.getByRole('row', { name: /Resend requested/ }).waitFor();
    await page.getByText('HTTP 200').nth(1).waitFor();
  });

  it('refunds, and says why the port refuses an amount', async () => {
    await open('operator', await sale());
    await button('Refund').click();
    await page.getByLabel('Amount in USD').fill('999.00');
    await submit('Refund');
    await page.getByRole('alert').getByText('Refused').waitFor();
    await page.getByLabel('Amount in USD').fill('2.50');
    await submit('Refund');
    await page.getByText('The refund is accepted').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(await focusedText(page)).toBe('Refund');
    await page.locator('.entry', { hasText: 'Follow-up 1: reversal accepted' }).getByText('2.50 USD').waitFor();
  });

  it('shows a refund that waits for a second person, with the way to the approvals', async () => {
    await open('operator', await sale());
    await button('Refund').click();
    await submit('Refund');
    await page.getByText('Refund of 10.42 USD waits for approval').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Approvals' }).click();
    await page.waitForURL(/\/console\/approvals/);
  });

  it('offers no movement of money to an investigator, and the port refuses it', async () => {
    const order = await sale();
    await open('investigator', order);
    await button('Evidence pack').waitFor();
    expect(await button('Refund').count()).toBe(0);
    const status = await page.evaluate<number>(
      `fetch('/orders/${order.orderId}/returns', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ key: 'a-key-of-a-test', reason: 'none' }) }).then(({ status }) => status)`,
    );
    expect(status).toBe(403);
  });

  it('reveals personal data for 60 seconds', async () => {
    const order = await sale();
    page = await served.newPage();
    await page.clock.install();
    await served.beginSession(page, 'investigator');
    await served.show(page, `/orders/${order.orderId}`);
    await page.locator('summary', { hasText: 'More' }).click();
    await button('Reveal personal data').click();
    await submit('Reveal', 'A notice names the payer');
    const personal = page.getByRole('region', { name: 'Personal data' });
    await personal.getByText('email').waitFor();
    await page.clock.fastForward(61_000);
    await personal.waitFor({ state: 'detached' });
    expect(await page.locator('main').innerText()).not.toContain('@example.com');
  });

  it('renders only the rows in view of a long order', async () => {
    const order = await sale();
    page = await served.newPage();
    await served.beginSession(page, 'investigator');
    await page.route(/\/audit\/orders\/[^/]+\?/, async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as { trail: { number: number; eventId: string }[] };
      const [first] = body.trail;
      const trail = Array.from({ length: 5_000 }, (_, index) => ({ ...first, number: index + 1, eventId: `${index}` }));
      await route.fulfill({ response: answer, json: { ...body, trail } });
    });
    await served.show(page, `/orders/${order.orderId}?entry=2500`);
    await page.locator('#entry-2500').getByText('JSON', { exact: true }).waitFor();
    expect(await page.locator('.entry').count()).toBeLessThan(120);
  });
});
