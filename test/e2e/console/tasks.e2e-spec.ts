import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import type { Locator, Page } from 'playwright-core';
import {
  Console,
  consoleConfiguration,
  HAS_BROWSER,
  settled,
  tokenOf,
  WITHOUT_BROWSER,
  type Person,
  lostGate,
} from '../../support/console/console';
import { CallbackReceiver } from '../../support/merchants/callback-receiver';
import { Merchant, type Accepted } from '../../support/merchants/merchant';
import { orch, type OrchEnded } from '../../support/processes/orch';
import { until } from '../../support/until';

jest.setTimeout(60_000);
const START_TIMEOUT_MS = 180_000;
const DOCUMENT = readFileSync(join(__dirname, '..', '..', '..', 'docs', 'console.md'), 'utf8');

/** The words of the screen that a section of the document shows in bold, and those that its walk has not used. */
const sectionOf = (heading: string) => {
  const text = DOCUMENT.split(/^## /m).find((section) => section.startsWith(`${heading}\n`));
  if (text === undefined) throw new Error(`docs/console.md has no section "${heading}"`);
  const words = new Set([...text.matchAll(/\*\*(.+?)\*\*/g)].map(([, word = '']) => word));
  const unused = new Set(words);
  const word = (wanted: string): string => {
    if (!words.has(wanted)) throw new Error(`"${heading}" does not show "${wanted}" in bold`);
    unused.delete(wanted);
    return wanted;
  };
  return { word, unused: (): readonly string[] => [...unused] };
};

if (!HAS_BROWSER) process.stderr.write(`\n${WITHOUT_BROWSER}\n\n`);

(HAS_BROWSER ? describe : describe.skip)('the tasks of docs/console.md', () => {
  const folder = mkdtempSync(join(tmpdir(), 'console-tasks-'));
  const pack = join(folder, 'pack.zip');
  let receiver: CallbackReceiver;
  let served: Console;
  let key: string;
  let page: Page;
  let refunded: Accepted;
  let proven: Accepted;

  const asAdmin = (...words: readonly string[]): Promise<OrchEnded> =>
    orch(words, { ...served.service.orchEnvironment, ORCH_OPERATOR_TOKEN: tokenOf('admin') });

  /** The gate's file has another status for one sale, and another amount for the other. */
  const settle = async (): Promise<void> => {
    const { out } = await asAdmin('settlement-file', '--simulator', 'sim-a');
    const lines = out
      .split('\r\n')
      .map((line) => (line.includes(',44.20,') ? line.replace('approved', 'declined') : line.replace(',31.90,', ',31.00,')));
    const file = join(folder, 'settled.csv');
    writeFileSync(file, lines.join('\r\n'));
    await until(async () => !(await asAdmin('reconcile', '--gate', 'sim-a', '--file', file)).problems.includes('behind the log'), {
      what: 'the read models to catch up',
    });
  };

  beforeAll(async () => {
    receiver = await CallbackReceiver.start();
    // The gate answers each request with an error, so its outcomes stay unknown. The shop's server fails.
    receiver.behave((path) => ({ kind: 'status', status: path.startsWith('/gate/') ? 502 : 503 }));
    served = await Console.open(
      consoleConfiguration({
        ...lostGate(receiver),
      }),
    );
    const acme = new Merchant(served.service);
    const callback = { server_callback_url: receiver.url('/shop') };
    // A checkpoint must cover the order of a pack, so that no other walk may change it.
    [refunded, proven] = await Promise.all([
      acme.approvedSale({ amount: '31.90' }),
      acme.approvedSale({ amount: '55.50' }),
      acme.approvedSale({ amount: '87.10' }),
      acme.approvedSale({ amount: '44.20' }),
      acme.approvedSale(callback),
      acme.approvedSale(callback),
      acme.accepted(acme.sale({}, { at: '1010' })),
      acme.accepted(acme.sale({}, { at: '1010' })),
      acme.accepted(acme.sale({}, { at: '1010' })),
    ]);
    await acme.approvedFollowUp('return', refunded, { amount: '5.00', currency: 'USD' });
    await settle();
    await Promise.all([
      served.listed('/orders/unknown', 'orders', 3),
      served.listed('/deliveries?state=failed', 'deliveries', 2),
      served.listed('/reconciliation/cases', 'cases', 2),
    ]);
    const { tree } = await served.ask<{ readonly tree: { readonly size: number } }>('admin', '/log');
    await until(
      async () => {
        const { checkpoints } = await served.ask<{ readonly checkpoints: readonly { readonly size: number }[] }>(
          'admin',
          '/log/checkpoints',
        );
        return checkpoints.length > 1 && (checkpoints[0]?.size ?? 0) >= tree.size;
      },
      { what: 'a second checkpoint', timeoutMs: 60_000 },
    );
    const [shown, made] = await Promise.all([
      asAdmin('log', 'key', 'show'),
      asAdmin('evidence', refunded.orderId, '--reason', 'test', '-o', pack),
    ]);
    expect([shown.code, made.code, made.problems]).toEqual([0, 0, '']);
    key = shown.out.trim();
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await served?.close();
    await receiver?.stop();
    rmSync(folder, { recursive: true });
  }, START_TIMEOUT_MS);
  afterEach(async () => {
    await page?.context().close();
    expect(served.faults).toEqual([]);
  });

  const signIn = async (person: Person): Promise<void> => {
    page = await served.signedIn(person);
  };
  const main = () => page.getByRole('main');
  const dialog = () => page.getByRole('dialog');
  const goTo = async (screen: string): Promise<void> => {
    await page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen, exact: true }).click();
    await settled(page);
  };
  const openTab = async (name: string): Promise<void> => {
    await main().getByRole('navigation').getByRole('link', { name }).click();
    await settled(page);
  };
  const press = (name: RegExp | string, within: Locator = main()): Promise<void> =>
    within.getByRole('button', { name, exact: true }).first().click();
  const fill = (label: string, text: string, within: Locator = main()): Promise<void> =>
    within.getByLabel(label, { exact: true }).first().fill(text);
  const shows = (text: RegExp | string, within: Locator = main()): Promise<void> =>
    within.getByText(text, { exact: true }).first().waitFor();
  const rows = () => main().locator('.table tbody tr');
  /** Opens the only row. */
  const openRow = async (row: Locator = rows()): Promise<void> => {
    await row.getByRole('rowheader').getByRole('link').click();
    await settled(page);
  };
  /** Fills in the reason of the open dialog and sends it. */
  const confirm = async (label: string, verb: RegExp | string): Promise<void> => {
    await fill(label, 'Case CB-4711', dialog());
    await press(verb, dialog());
    const refusal = dialog().getByRole('alert');
    await Promise.race([dialog().waitFor({ state: 'detached' }), refusal.waitFor()]).catch(() => undefined);
    if (await dialog().isVisible()) throw new Error(`refused: ${await refusal.innerText()}`);
  };

  it('finds the payment of a notice, and makes and checks its evidence pack', async () => {
    const { word, unused } = sectionOf('Find the payment of a notice');
    await signIn('investigator');
    await goTo(word('Orders'));
    await main()
      .getByRole('button', { name: word('All filters') })
      .waitFor();
    const filters = page.getByRole('search');
    await fill(word('Last four digits'), '1111', filters);
    await fill(word('Amount'), '87.10', filters);
    await fill(word('Currency'), 'USD', filters);
    await fill(word('Around day'), new Date().toISOString().slice(0, 10), filters);
    await press(word('Filter'), filters);
    await page.waitForURL(/lastFour=1111/);
    await settled(page);
    await openRow();
    const head = page.locator('.order-head');
    for (const label of ['Card', 'Merchant', 'RRN', 'Approval code']) await shows(word(label), head);
    await press(word('Evidence pack'));
    const [download] = await Promise.all([page.waitForEvent('download'), confirm(word('Reason'), word('Download'))]);
    expect(download.suggestedFilename()).toMatch(/\.zip$/);
    expect(Object.keys(unzipSync(readFileSync(await download.path())))).toContain('open.html');
    const toast = page.locator('.toast', { hasText: 'without unzipping it' });
    await toast.getByRole('link', { name: word('Check a pack') }).click();
    await page.getByRole('heading', { name: word('Log'), exact: true }).waitFor();
    await toast.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: word('Fill in the key of this service') }).waitFor();
    await fill(word('Published key of the log'), key);
    await press(word('Trust this key'));
    await page.getByLabel(word('Evidence pack (zip)')).setInputFiles(await download.path());
    await shows(word('All of it holds.'));
    expect(unused()).toEqual([]);
  });

  it('answers why a payer was charged', async () => {
    const { word, unused } = sectionOf('Answer "why was I charged?"');
    await signIn('investigator');
    await goTo(word('Orders'));
    await press(word('All filters'));
    await fill(word('Text on the statement'), 'test-a', dialog());
    await fill(word('Around day'), new Date().toISOString().slice(0, 10), dialog());
    await fill(word('Amount from'), '31.90', dialog());
    await fill(word('Amount to'), '31.90', dialog());
    await fill(word('Currency'), 'USD', dialog());
    await dialog()
      .getByLabel(word('Status'))
      .selectOption({ label: word('Approved') });
    await press(word('Filter'), dialog());
    await page.waitForURL(/status=approved/);
    await settled(page);
    await openRow();
    const head = page.locator('.order-head');
    for (const label of ['Merchant', 'Merchant’s order', 'Final']) await shows(word(label), head);
    await press(`${word('Why')} is ${word('Status')} so`, main().getByRole('region', { name: word('State now') }));
    await shows('Order approved', dialog());
    await press(word('Close'), dialog());
    await openTab(word('Attempts and routing'));
    await shows(/5\.00/);
    await openTab(word('Related orders'));
    await main()
      .getByRole('heading', { name: word('Same card') })
      .waitFor();
    expect(unused()).toEqual([]);
  });

  it('finds the gate that is down and the money in doubt, holds the gate and releases it', async () => {
    const { word, unused } = sectionOf('A gate is down');
    await signIn('operator');
    await goTo(word('Overview'));
    const worst = main()
      .getByRole('region', { name: word('Gates in the last hour') })
      .getByRole('row')
      .nth(1);
    expect(await worst.innerText()).toMatch(new RegExp(`^lost\\s+${word('Failing')}\\s+for`));
    const figure = main().getByRole('link', { name: word('Unknown outcomes') });
    expect((await figure.innerText()).replaceAll(/\s+/g, ' ')).toMatch(/3 oldest .* 31\.26 USD/);
    await openRow(worst);
    await main().getByRole('heading', { name: 'Calls of the last hour, by minute' }).waitFor();
    await press(`${word('Hold gate')} lost`);
    await confirm(word('Reason'), word('Hold'));
    await goTo(word('Queues'));
    await rows().nth(2).waitFor();
    await goTo(word('Gates'));
    await openRow(rows().filter({ hasText: 'lost' }));
    await press(`${word('Release gate')} lost`);
    await confirm('Reason', word('Release'));
    await main().getByRole('button', { name: 'Hold gate lost' }).waitFor();
    expect(unused()).toEqual([]);
  });

  it('finds why callbacks fail, and resends one, and then those of a filter', async () => {
    const { word, unused } = sectionOf('Callbacks of a merchant fail');
    await signIn('operator');
    await goTo(word('Overview'));
    const failing = main()
      .getByRole('region', { name: word('Callbacks that fail') })
      .locator('tbody tr');
    expect(await failing.innerText()).toMatch(/^acme\s+.*503/);
    await openRow(failing);
    for (const column of ['Latest result', 'Attempts', 'Next attempt'])
      await main()
        .getByRole('columnheader', { name: word(column) })
        .waitFor();
    await press(new RegExp(`^${word('Resend')} the callback of order`));
    await confirm(word('Reason'), 'Resend');
    await main().getByLabel(word('State')).waitFor();
    expect(
      await main()
        .getByRole('textbox', { name: word('Merchant') })
        .inputValue(),
    ).toBe('acme');
    await press(word('Resend all of this filter'));
    await fill('Reason', 'The shop is back', dialog());
    await press(word('Count first'), dialog());
    await press(/^Resend 2\scallbacks$/, dialog());
    await shows(/of 2\scallbacks due again/, dialog());
    await dialog()
      .getByRole('button', { name: word('Close'), exact: true })
      .last()
      .click();
    expect(unused()).toEqual([]);
  });

  it('closes the reconciliation of a day: applies one case, closes the other', async () => {
    const { word, unused } = sectionOf("Close a day's reconciliation");
    await signIn('admin');
    await goTo(word('Queues'));
    await openTab(word('Reconciliation cases'));
    await main()
      .getByLabel(new RegExp(`^${word('Opened since')}`))
      .waitFor();
    await main()
      .getByRole('textbox', { name: word('Gate') })
      .fill('sim-a');
    await page.keyboard.press('Enter');
    await page.waitForURL(/gate=sim-a/);
    const list = main().getByRole('region', { name: 'Reconciliation cases, oldest first' });
    for (const column of ['Difference', 'Here', 'At the gate'])
      await list.getByRole('columnheader', { name: word(column), exact: true }).waitFor();
    const cases = () => list.locator('tbody tr');
    await openRow(cases().filter({ hasText: 'declined' }));
    const sides = main().getByRole('region', { name: 'Both sides' });
    for (const column of ['Our record, when the case was opened', 'Our record now', 'The gate'])
      await sides.getByRole('columnheader', { name: word(column), exact: true }).waitFor();
    await shows(word('Differs'), sides);
    await shows(new RegExp(`^${word('Applied now, the order becomes')} declined`));
    await press(word('Apply the gate’s side'));
    await page.getByRole('navigation', { name: 'Screens' }).getByText(word('Approvals')).waitFor();
    await confirm(word('Reason'), `${word('Make it')} declined`);
    await openRow(cases().filter({ hasText: /31\.00\sUSD/ }));
    await shows(word('It cannot be applied'));
    await press(word('Close without a change'));
    await confirm('Reason', word('Close the case'));
    await press(/^Remove filter Gate/);
    await shows(word('The log and the settlements agree'));
    expect(unused()).toEqual([]);
  });

  it('proves two checkpoints, the events of an order, one event and a dropped pack', async () => {
    const { word, unused } = sectionOf('Prove a record');
    const { orderId } = proven;
    await signIn('investigator');
    await goTo(word('Log'));
    await fill(word('Published key of the log'), key);
    await press(word('Trust this key'));
    await shows(word('Verified'), main().getByRole('region', { name: word('What this browser checked') }));
    await openTab(word('Checkpoints'));
    for (const label of ['Events of the older', 'Events of the later'])
      expect(await main().getByLabel(word(label)).inputValue()).not.toBe('');
    await press(word('Compare'));
    await shows('Verified', main().getByRole('region', { name: 'Two checkpoints' }));
    await served.show(page, `/orders/${orderId}`);
    await openTab(word('Proof'));
    await press(new RegExp(`^${word('Check')} \\d+\\sevents$`));
    await shows(new RegExp(`^All \\d+\\sevents ${word('verified')}$`));
    await main().locator('.proved summary').first().click();
    await main()
      .getByRole('link', { name: word('Open on the Log screen') })
      .first()
      .click();
    await page.waitForURL(/\/log\?/);
    await settled(page);
    expect(
      await main()
        .getByRole('link', { name: word('Prove an event') })
        .getAttribute('aria-current'),
    ).toBe('page');
    await fill(word('Stream'), await main().getByLabel('Stream', { exact: true }).inputValue());
    await fill(word('Number in the stream'), '1');
    await press(word('Check this event'));
    await page.waitForURL(/revision=1/);
    await shows('Verified', main().getByRole('region').filter({ hasText: 'Event id' }));
    await openTab(word('Check a pack'));
    await page.getByLabel(word('Evidence pack (zip)')).waitFor();
    const carried = await page.evaluateHandle(
      `(() => {
        const carried = new DataTransfer();
        const bytes = Uint8Array.from(atob('${readFileSync(pack).toString('base64')}'), (one) => one.charCodeAt(0));
        carried.items.add(new File([bytes], 'pack.zip', { type: 'application/zip' }));
        return carried;
      })()`,
    );
    await page.locator('.drop-zone').dispatchEvent('drop', { dataTransfer: carried });
    await shows(word('All of it holds.'));
    expect(unused()).toEqual([]);
  });
});
