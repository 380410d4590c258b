import type { Locator, Page } from 'playwright-core';
import type { StreamName } from '@app/event-store';
import { CallbackReceiver } from '../../support/merchants/callback-receiver';
import { Merchant, type Accepted } from '../../support/merchants/merchant';
import {
  Console,
  consoleConfiguration,
  faultsOfLooks,
  focusedText,
  HAS_BROWSER,
  settled,
  WITHOUT_BROWSER,
  type Person,
  lostGate,
} from '../../support/console/console';
import { makeUnreadable } from '../../support/console/left-in-log';
import { until } from '../../support/until';

jest.setTimeout(90_000);
const START_TIMEOUT_MS = 120_000;
const DAY_MS = 86_400_000;

if (!HAS_BROWSER) process.stderr.write(`\n${WITHOUT_BROWSER}\n\n`);

(HAS_BROWSER ? describe : describe.skip)('the queues of the console', () => {
  let receiver: CallbackReceiver;
  let served: Console;
  let acme: Merchant;
  let page: Page;
  let unknown: Accepted;
  let large: Accepted;
  let ofCase: Accepted;
  let parked: StreamName;
  let ofParked: Accepted;
  /** Removes the cause for which the stream is parked. */
  let makeReadable: () => void;
  let startedAt: string;

  beforeAll(async () => {
    receiver = await CallbackReceiver.start();
    // The gate answers each request with an error, so its outcomes stay unknown. The shop's server fails.
    receiver.behave((path) => (path.startsWith('/gate/') ? { kind: 'status', status: 502 } : { kind: 'status', status: 500 }));
    served = await Console.open(
      consoleConfiguration({
        ...lostGate(receiver, 600),
        whole: { approvals: { resolveUnknown: { from: '100.00 USD' } } },
      }),
    );
    acme = new Merchant(served.service);
    startedAt = new Date().toISOString();
    large = await acme.accepted(acme.sale({ amount: '150.00' }, { at: '1010' }));
    const callback = { server_callback_url: receiver.url('/shop') };
    const sales = [await acme.approvedSale(callback), await acme.approvedSale(callback), await acme.approvedSale(callback)];
    const [disputed = large] = sales;
    [, ofCase = large] = sales;
    const respondBy = new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10);
    const money = { amount: '10.42', currency: 'USD' };
    await served.ask('operator', `/orders/${disputed.orderId}/reports`, { kind: 'chargeback', case: 'CB-1', respondBy, ...money });
    await served.ask('operator', '/reconciliation/cases', {
      gate: 'sim-a',
      source: 'file',
      cases: [
        {
          kind: 'different',
          original: 'of-the-acquirer',
          operation: 'sale',
          order: { orderId: ofCase.orderId, merchant: 'acme' },
          differences: [{ field: 'amount', ours: '10.42', theirs: '9.42' }],
          told: { status: 'approved', amountMinor: '942', currency: 'USD' },
        },
      ],
    });
    ofParked = await acme.approvedSale();
    parked = await served.streamOf(ofParked);
    await served.service.stop();
    makeReadable = makeUnreadable(served.service.dataDir, parked);
    await served.service.restart();
    // Now, because after a restart the service treats a call as open until its longest time has passed.
    unknown = await acme.accepted(acme.sale({}, { at: '1010' }));
    await served.listed('/streams/parked', 'streams', 1);
    await served.listed('/orders/unknown', 'orders', 2);
    await served.listed('/deliveries?state=failed', 'deliveries', 3);
    await served.listed('/disputes', 'disputes', 1);
    await served.listed('/reconciliation/cases', 'cases', 1);
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await served?.close();
    await receiver?.stop();
  }, START_TIMEOUT_MS);
  afterEach(async () => {
    await page.context().close();
    expect(served.faults).toEqual([]);
  });

  const open = async (person: Person, search = ''): Promise<void> => {
    page = await served.signedIn(person, `/queues${search}`);
  };
  const rows = () => page.locator('.queues .table tbody tr');
  const button = (name: RegExp | string) => page.getByRole('button', { name });
  const submit = async (verb: string): Promise<void> => {
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('Seen in the gate’s journal');
    await dialog.getByRole('button', { name: verb, exact: true }).click();
    const refusal = dialog.getByRole('alert');
    await Promise.race([dialog.waitFor({ state: 'detached' }), refusal.waitFor()]).catch(() => undefined);
    if (await dialog.isVisible()) throw new Error(`refused: ${await refusal.innerText()}`);
  };

  const expectBothSidesOnATablet = async (): Promise<void> => {
    const at = '2026-11-15T19:23:22.000Z';
    await open('operator', '?queue=cases');
    await page.route('**/effect', async (route) => {
      const answer = await route.fetch();
      const body = (await answer.json()) as object;
      const sides = [
        { field: 'processed-at', ours: at, oursNow: at, theirs: at, isDifferent: false },
        { field: 'gate-order-id', ours: null, oursNow: null, theirs: 'c6a1d6d2-b682-47f1-b12e-be3fbf01adcc', isDifferent: true },
      ];
      await route.fulfill({ response: answer, json: { ...body, sides } });
    });
    await page.setViewportSize({ width: 768, height: 900 });
    await rows().first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const sides = page.getByRole('region', { name: 'Both sides' });
    await sides.getByText('Differs').waitFor();
    const [width = 0, seen = 0] = await sides.evaluate(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth]);
    expect(width).toBe(seen);
    await page.context().close();
  };

  it('shows the queues with their counts, and to a viewer neither cases nor actions', async () => {
    await open('viewer');
    const tabs = page.getByRole('navigation', { name: 'Queues' });
    const names = (await tabs.getByRole('link').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' '));
    expect(names.join('; ')).toMatch(/^Unknown outcomes [12]; Failed callbacks 3; Disputes 1; Parked streams [01]$/);
    const row = rows().filter({ hasText: large.orderId });
    await row.waitFor();
    expect(await row.innerText()).toMatch(
      new RegExp(`^${large.orderId}\\s+150\\.00\\sUSD\\s+lost\\s+\\d+\\s(s|min)(\\s\\d+\\ss)?\\s+acme`),
    );
    expect(await page.getByText('In total').innerText()).toMatch(/(150\.00|160\.42)\sUSD$/);
    // On a phone, without scrolling sideways.
    await page.setViewportSize({ width: 390, height: 844 });
    const gate = await row.getByRole('cell', { name: 'lost' }).boundingBox();
    expect((gate?.x ?? 390) + (gate?.width ?? 0)).toBeLessThan(390);
    expect(await button(/Resolve|Resend/).count()).toBe(0);
    // A viewer may not read orders.
    expect(await rows().getByRole('link').count()).toBe(0);
    expect(await page.getByLabel('As of').count()).toBe(0);
    await page.goto(served.addressOf('/queues?queue=cases'));
    await page.getByText('need the role investigator').waitFor();
  });

  it('proposes to resolve a large unknown outcome, and lists those of a moment', async () => {
    await open('operator');
    await button(`Resolve the outcome of order ${large.orderId}`).click();
    await page.getByLabel('What the gate’s records show').selectOption('approved');
    await submit('Resolve');
    await page.getByText('It waits for the approval of a second person').waitFor();
    await served.show(page, `/queues?at=${new Date().toISOString()}`);
    await rows().filter({ hasText: unknown.orderId }).waitFor();
    await page.getByText('As the service knew it at').waitFor();
    expect(await button(/^Resolve/).count()).toBe(0);
    await served.show(page, `/queues?at=${startedAt}`);
    await page.getByText('No entry matches these filters').waitFor();
    await button(/^Remove filter As of/).click();
    await button(`Resolve the outcome of order ${unknown.orderId}`).waitFor();
  });

  it('opens the order of an unknown outcome, and says why it cannot be resolved while the gate may answer', async () => {
    await open('operator');
    await rows().getByRole('link', { name: large.orderId }).click();
    await page.waitForURL(new RegExp(`/orders/${large.orderId}`));
    await page.getByRole('heading', { level: 1 }).filter({ hasText: '150.00' }).waitFor();
    await page.goBack();
    await button(`Resolve the outcome of order ${unknown.orderId}`).click();
    await expect(submit('Resolve')).rejects.toThrow('The gate may still answer');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await rows().filter({ hasText: unknown.orderId }).waitFor();
  });

  it('has rows without a link for a viewer, who reads them by j and k', async () => {
    await open('viewer', '?queue=callbacks');
    await rows().nth(2).waitFor();
    expect(await rows().locator('a, button').count()).toBe(0);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await focusedText(page)).toBe(await rows().nth(1).textContent());
    await page.keyboard.press('k');
    expect(await focusedText(page)).toBe(await rows().nth(0).textContent());
  });

  it('resends one callback, and those of a filter after a count', async () => {
    await open('operator', '?queue=callbacks');
    await rows().nth(2).waitFor();
    expect(await rows().count()).toBe(3);
    const sentBefore = receiver.at('/shop').length;
    await button(/^Resend the callback of order/)
      .first()
      .click();
    await submit('Resend');
    await page.getByText('The callback is due again').waitFor();
    await until(() => receiver.at('/shop').length > sentBefore, { what: 'the callback again' });
    await page.getByRole('textbox', { name: 'Merchant' }).fill('acme');
    await page.keyboard.press('Enter');
    await page.waitForURL(/[?&]merchant=acme/);
    await settled(page);
    await button('Resend all of this filter').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Callbacks with merchant acme').waitFor();
    await dialog.getByLabel('Reason').fill('The shop is back');
    await dialog.getByRole('button', { name: 'Count first' }).click();
    await dialog.getByText('3 callbacks match').waitFor();
    // The first part is one callback instead of a hundred. Each part waits until the test lets it go.
    const limits: unknown[] = [];
    let letGo: () => void = () => undefined;
    await page.route('**/deliveries/resending', async (route) => {
      const asked = route.request().postDataJSON() as { readonly limit: number };
      limits.push(asked.limit);
      await new Promise<void>((resolve) => (letGo = resolve));
      await route.continue({ postData: JSON.stringify(limits.length === 1 ? { ...asked, limit: 1 } : asked) });
    });
    const stop = dialog.getByRole('button', { name: 'Stop after this part' });
    await dialog.getByRole('button', { name: 'Resend 3 callbacks' }).click();
    await stop.click();
    letGo();
    await dialog.getByText(/1 of 3\scallbacks due again/).waitFor();
    const progress = dialog.getByRole('progressbar', { name: 'Callbacks handled' });
    expect(await progress.getAttribute('value')).toBe('1');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await until(() => limits.length === 2, { what: 'the second part' });
    letGo();
    await dialog.getByText(/3 of 3\scallbacks due again/).waitFor();
    expect(limits).toEqual([100, 100]);
    expect(await dialog.getByRole('button', { name: 'Continue' }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
    await page.getByText('3 callbacks due again').waitFor();
    expect(await focusedText(page)).toBe('Resend all of this filter');
    await until(() => receiver.at('/shop').length >= sentBefore + 4, { what: 'the callbacks again' });
  });

  it('shows the day on which a dispute must be answered', async () => {
    await open('investigator', '?queue=disputes');
    expect(await rows().innerText()).toMatch(/^CB-1\s+[12]\sdays? left/);
    await rows().first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/orders\/\d+\?tab=disputes/);
  });

  it('opens a case by keyboard, with both sides and the effect, and closes it', async () => {
    await expectBothSidesOnATablet(); // before it is closed
    await open('operator', '?queue=cases');
    await rows().first().waitFor();
    expect(await rows().innerText()).toMatch(
      new RegExp(
        `^Amount\\s+10\\.42\\s+USD\\s+9\\.42\\s+USD\\s+\\d+\\s(s|min)(\\s\\d+\\ss)?\\s+sim-a\\s+sale\\s+${ofCase.orderId}\\s+acme`,
      ),
    );
    await rows().getByRole('link', { name: ofCase.orderId }).click();
    await page.waitForURL(new RegExp(`/orders/${ofCase.orderId}`));
    await page.goBack();
    await rows().first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/[?&]case=/);
    const sides = page.getByRole('region', { name: 'Both sides' });
    expect((await sides.innerText()).replaceAll(/\s+/g, ' ')).toContain('Amount 10.42 USD — 9.42 USD Differs');
    const topOf = async (found: Locator): Promise<number> => (await found.boundingBox())?.y ?? 0;
    expect(await topOf(page.getByLabel('Kind'))).toBeLessThan(await topOf(sides));
    await page.getByText('It cannot be applied').waitFor();
    expect(await button('Apply the gate’s side').count()).toBe(0);
    await button('Close without a change').click();
    await submit('Close the case');
    await page.getByText('The log and the settlements agree').waitFor();
    expect(new URL(page.url()).searchParams.has('case')).toBe(false);
    await button('All').click();
    await page.locator('.badge', { hasText: 'Closed' }).waitFor();
  });

  it('unparks a stream once its cause is removed, with a reason, and its order is in the lists again', async () => {
    const row = () => rows().filter({ hasText: parked });
    await open('viewer', '?queue=parked');
    await page.locator('h1').getByText('Parked streams').waitFor();
    await row().waitFor();
    expect(await button(/Unpark/).count()).toBe(0);
    await page.context().close();
    await open('operator', '?queue=parked');
    await row().getByText('Event unreadable').waitFor();
    expect(await row().innerText()).toMatch(/UndecodableEvent[\s\S]*orders[\s\S]*finish the upgrade/);
    await button(`Unpark ${parked}`).click();
    await expect(submit('Unpark')).rejects.toThrow('The stream still cannot be read');
    makeReadable();
    await page.getByRole('dialog').getByRole('button', { name: 'Unpark', exact: true }).click();
    await page.getByText('The stream is in the lists again').waitFor();
    await page.getByText('No stream is parked').waitFor();
    await served.show(page, `/orders?order=${ofParked.orderId}`);
    await page.getByRole('link', { name: ofParked.orderId }).waitFor();
  });

  it.each(['?queue=callbacks', '?queue=disputes'])('has no fault of axe and no sideways scrolling: %s', async (search) => {
    page = await served.newPage();
    expect(await faultsOfLooks(served, { person: 'admin', path: `/queues${search}` })).toEqual([]);
  });
});
