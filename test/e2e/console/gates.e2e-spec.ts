import type { Page } from 'playwright-core';
import { until } from '../../support/until';
import { Merchant } from '../../support/merchants/merchant';
import {
  Console,
  consoleConfiguration,
  faultsOfLooks,
  focusedText,
  HAS_BROWSER,
  settled,
  WITHOUT_BROWSER,
  type Person,
  ROUTED_ENDPOINT,
} from '../../support/console/console';

jest.setTimeout(120_000);
const START_TIMEOUT_MS = 120_000;

if (!HAS_BROWSER) process.stderr.write(`\n${WITHOUT_BROWSER}\n\n`);

const GATE = { adapter: 'simulator', currencies: ['USD'] };
const CONFIGURATION = consoleConfiguration({
  endpoints: [ROUTED_ENDPOINT, { id: '1102', currency: 'USD', gates: ['sim-out', 'sim-b'] }],
  gates: [
    { ...GATE, alias: 'sim-b', descriptor: 'test-b' },
    { ...GATE, alias: 'sim-out', descriptor: 'test-out', simulate: { unavailable: true }, circuit: { calls: 2, openSeconds: 600 } },
  ],
});
const EXPLAINED = '/gates?tab=routing&endpoint=1101&amount=10.00&bin=444433';

(HAS_BROWSER ? describe : describe.skip)('the gates of the console', () => {
  let served: Console;
  let page: Page;

  beforeAll(async () => {
    served = await Console.open(CONFIGURATION);
    const acme = new Merchant(served.service);
    await acme.approvedSale({}, { at: '1101' });
    for (let count = 0; count < 2; count++) await acme.finalStatus(await acme.accepted(acme.sale({}, { at: '1102' })));
  }, START_TIMEOUT_MS);
  afterAll(() => served?.close(), START_TIMEOUT_MS);
  afterEach(async () => {
    await page.context().close();
    expect(served.faults).toEqual([]);
  });

  const open = async (person: Person, path: string): Promise<void> => {
    page = await served.signedIn(person, path);
  };
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const stateOf = (gate: string) => page.getByRole('region', { name: 'Gates, the worst first' }).getByRole('row', { name: gate });
  const sameAfterReload = async (): Promise<void> => {
    const shown = page.locator('main');
    // The time of a question without one is now, and ages grow.
    const text = async (): Promise<string> => (await shown.innerText()).replaceAll(/\d\d:\d\d:\d\d|\bfor (over )?\d[^\n\t]*/g, '');
    const before = await text();
    let last = '';
    await page.reload();
    await settled(page);
    // Not waitForFunction, whose later polls the content policy refuses.
    await until(async () => (last = await text()) === before, { what: 'the same screen', timeoutMs: 10_000, seen: () => last });
  };
  const submit = async (verb: string): Promise<void> => {
    await page.getByLabel('Reason').fill('The acquirer reports an outage');
    await page.getByRole('dialog').getByRole('button', { name: verb, exact: true }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  };

  it('begins with the gate that is out of routing, and opens another by keyboard', async () => {
    await open('viewer', '/gates');
    await stateOf('sim-out').getByText('Avoided').waitFor();
    expect(await page.getByRole('region', { name: 'Gate sim-out' }).innerText()).toContain('Circuit open');
    await page.keyboard.press('j');
    expect(await focusedText(page)).toBe('sim-out');
    await stateOf('sim-a').getByRole('link').focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/gate=sim-a/);
    const details = page.getByRole('region', { name: 'Gate sim-a' });
    await details.getByRole('button', { name: 'Show as table' }).click();
    await details.getByRole('columnheader', { name: 'Unknown' }).waitFor();
    await details.getByRole('button', { name: 'Show as chart' }).click();
    await sameAfterReload();
    expect(await page.getByRole('button', { name: /^(Hold|Release)/ }).count()).toBe(0);
  });

  it('holds and releases a gate and an entry point with a reason', async () => {
    await open('operator', '/gates?gate=sim-b');
    await button('Hold gate sim-b').click();
    await submit('Hold');
    await stateOf('sim-b').getByText('Held').waitFor();
    await page.getByRole('region', { name: 'Gate sim-b' }).getByText('Held by operator').waitFor();
    await button('Release gate sim-b').click();
    await submit('Release');
    await stateOf('sim-b').getByText('Healthy').waitFor();
    await button('Hold an entry point').click();
    await page.getByLabel('Entry point', { exact: true }).fill('9001');
    await submit('Hold');
    await page.getByRole('region', { name: 'Held entry points' }).getByRole('rowheader', { name: '9001' }).waitFor();
    await button('Release entry point 9001').click();
    await submit('Release');
    await page.getByText('None is held').waitFor();
  });

  it('explains a route in words at an address, and leads to a what-if of the entry point', async () => {
    await open('investigator', '/gates?tab=routing');
    await page.getByLabel('Entry point', { exact: true }).fill('1101');
    await page.getByLabel('Amount').fill('10,00');
    await page.keyboard.press('Enter');
    await page.getByText('Enter an amount in major units').waitFor();
    await page.getByLabel('Amount').fill('10.00');
    await page.getByLabel('BIN').fill('444433');
    await page.keyboard.press('Enter');
    const route = page.getByRole('region', { name: 'The route' });
    await route.getByText('No rule matched').waitFor();
    expect(page.url()).toBe(served.addressOf('/gates?tab=routing&endpoint=1101&amount=10.00&operation=sale&bin=444433'));
    expect(await route.innerText()).toContain('large: the amount is outside its limits.');
    await page.getByRole('link', { name: 'Show the rules' }).click();
    await page.getByRole('region', { name: 'Rules in their order' }).getByText('sim-b, then sim-a').waitFor();
    await sameAfterReload();
    await page.getByRole('link', { name: 'Try other rules' }).click();
    await page.waitForURL(/what-if\?endpoint=1101/);
    expect(await page.getByLabel('Rules', { exact: true }).inputValue()).toContain('then: { cascade: [sim-b, sim-a] }');
  });

  it.each([
    ['operator', '/gates', 'Circuit open'],
    ['investigator', `${EXPLAINED}&rules=true`, 'sim-b, then sim-a'],
  ] as const)('has no fault of axe for the %s at %s, and fits small windows', async (person, path, text) => {
    await open(person, '/');
    expect(
      await faultsOfLooks(served, {
        person,
        path,
        prepare: (shown) => shown.getByText(text).first().waitFor(),
      }),
    ).toEqual([]);
  });
});
