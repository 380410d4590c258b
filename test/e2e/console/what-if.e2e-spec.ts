import { readFileSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { Merchant } from '../../support/merchants/merchant';
import {
  Console,
  consoleConfiguration,
  faultsInPlace,
  focusedText,
  HAS_BROWSER,
  settled,
  WITHOUT_BROWSER,
  ROUTED_ENDPOINT,
} from '../../support/console/console';
import { until } from '../../support/until';

jest.setTimeout(120_000);
const START_TIMEOUT_MS = 120_000;

if (!HAS_BROWSER) process.stderr.write(`\n${WITHOUT_BROWSER}\n\n`);

const CONFIGURATION = consoleConfiguration({
  endpoints: [ROUTED_ENDPOINT, { id: '1102', currency: 'USD', gates: ['sim-a'] }],
  gates: [{ alias: 'sim-b', adapter: 'simulator', currencies: ['USD'], descriptor: 'test-b' }],
});
/** Each large order goes to a gate that it never asked. */
const UNASKED = 'merchants: [{ login: acme, endpoints: [{ id: "1101", gates: [sim-a, sim-b], routing: none }] }]';
/** As in the configuration that the test applies. */
const APPLIED = 'merchants: [{ login: acme, endpoints: [{ id: "1102", gates: [sim-b] }] }]';

interface Run {
  readonly whatIfId: string;
  readonly state: string;
  readonly result: object | null;
}

(HAS_BROWSER ? describe : describe.skip)('the what-if of the console', () => {
  let served: Console;
  let page: Page;
  let large: string;

  const ended = async (rules: string): Promise<Run> => {
    const { whatIfId } = await served.ask<Run>('admin', '/what-ifs', { rules });
    return until(
      async () => {
        const run = await served.ask<Run>('admin', `/what-ifs/${whatIfId}`);
        return run.state === 'running' ? undefined : run;
      },
      { what: 'the end of the what-if' },
    );
  };

  beforeAll(async () => {
    served = await Console.open(CONFIGURATION);
    const acme = new Merchant(served.service);
    const [first] = await Promise.all([
      acme.approvedSale({ amount: '150.00' }, { at: '1101' }),
      acme.approvedSale({ amount: '10.42' }, { at: '1101' }),
      acme.approvedSale({ amount: '10.00' }, { at: '1102' }),
    ]);
    large = first.orderId;
  }, START_TIMEOUT_MS);
  afterAll(() => served?.close(), START_TIMEOUT_MS);
  afterEach(async () => {
    await page.context().close();
    expect(served.faults).toEqual([]);
  });

  const open = async (path: string): Promise<void> => {
    page = await served.signedIn('investigator', path);
  };
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const rules = () => page.getByLabel('Rules', { exact: true });
  const region = (name: string) => page.getByRole('region', { name });
  const sameAfterReload = async (): Promise<void> => {
    const shown = page.locator('.what-if > .section').first();
    const before = await shown.innerText();
    let last = '';
    await page.reload();
    await settled(page);
    await until(async () => (last = await shown.innerText()) === before, { what: 'the same screen', seen: () => last });
  };
  /** This page sees the run of the address as running until `isOver`. */
  const goesOn = async (isOver: () => boolean): Promise<void> => {
    await page.route(/\/what-ifs\/[^/]+$/, async (route) => {
      const answer = await route.fetch();
      if (isOver()) return route.fulfill({ response: answer });
      const run = (await answer.json()) as Run;
      return route.fulfill({ response: answer, json: { ...run, state: 'running', endedAt: null, result: null } });
    });
  };

  it('names the line of each fault of the rules at the field, and starts nothing', async () => {
    await open('/what-if?endpoint=1101');
    const kept = await page.locator('.kept li').count();
    const inForce = await rules().inputValue();
    await rules().fill(inForce.replace('gates: [sim-a, sim-b]', 'gates: [nowhere, sim-b]').replace('[sim-b, sim-a]', '[sim-c]'));
    await button('Start the what-if').click();
    await button('Line 5').waitFor();
    expect(await rules().getAttribute('aria-invalid')).toBe('true');
    const described = (await rules().getAttribute('aria-describedby')) ?? '';
    const texts = await Promise.all(described.split(' ').map((id) => page.locator(`[id="${id}"]`).innerText()));
    expect(texts.join(' ').replaceAll('\u00a0', ' ')).toMatch(/\d faults?\. Nothing was started\./);
    expect(await page.locator('.rules-editor li.faulty').allInnerTexts()).toContain('5');
    await button('Line 5').click();
    expect(await focusedText(page)).toContain('nowhere');
    expect(await page.evaluate<string>('getSelection().toString().trim()')).toBe('gates: [nowhere, sim-b]');
    expect(await faultsInPlace(page, 'faults of the rules')).toEqual([]);
    expect(await page.locator('.kept li').count()).toBe(kept);
    await button('Back to the rules in force').click();
    await button('Line 5').waitFor({ state: 'detached' });
    expect(await rules().inputValue()).toBe(inForce);
  });

  it('shows the progress of a run, and its result if it ended before it could be stopped', async () => {
    await open('/what-if?endpoint=1101');
    let isStopAsked = false;
    page.on('request', (request) => {
      if (request.url().endsWith('/stopping')) isStopAsked = true;
    });
    await goesOn(() => isStopAsked);
    await button('Start the what-if').click();
    await page.waitForURL(/run=/);
    await page.getByRole('progressbar', { name: 'The what-if runs' }).waitFor();
    await page.getByText(/^\d+\sorders? decided so far$/).waitFor();
    expect(await faultsInPlace(page, 'progress')).toEqual([]);
    await button('Stop').click();
    await page.getByText('As before', { exact: true }).waitFor();
    expect(await page.getByRole('progressbar').count()).toBe(0);
    await page.locator('.kept [aria-current]').getByText('Done').waitFor();
  });

  it('says that the result of a stopped run covers only some orders', async () => {
    await open('/what-if?endpoint=1101');
    let stopped: Run | undefined;
    await goesOn(() => stopped !== undefined);
    // A run over so few orders ends before a person can stop it.
    await page.route(/\/what-ifs\/[^/]+\/stopping$/, async (route) => {
      const id = /what-ifs\/([^/]+)/.exec(route.request().url())?.[1] ?? '';
      stopped = { ...(await served.ask<Run>('admin', `/what-ifs/${id}`)), state: 'stopped' };
      await route.fulfill({ json: stopped });
    });
    await button('Start the what-if').click();
    await button('Stop').click();
    await page.getByText('It was stopped').waitFor();
    await page.getByText('The result covers only the orders that were decided until then.').waitFor();
    await page.getByText('The what-if is stopped').waitFor();
    await page.getByText('As before', { exact: true }).waitFor();
    expect(await faultsInPlace(page, 'stopped')).toEqual([]);
  });

  it('hatches what cannot be known and adds it to no sum', async () => {
    await open('/what-if?endpoint=1101');
    await rules().fill((await rules().inputValue()).replace('cascade: [sim-b, sim-a]', 'cascade: [sim-a]'));
    await button('Start the what-if').click();
    await page.waitForURL(/run=/);
    const row = region('Approved amounts').getByRole('row', { name: /1 order of 150\.00/ });
    await row.waitFor();
    const cells = (await row.locator('th, td').allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
    expect(cells).toEqual([
      'routing large',
      '1',
      '0.00 USD',
      '0.00 USD',
      'no change',
      '1 order of 150.00 USD; of these, 150.00 USD was approved',
    ]);
    expect(await page.locator('.classes .cannot-know').innerText()).toMatch(/^Cannot be known\s+1\b/);
    const drawn = await row.locator('.hatch, .hatched rect').evaluateAll((marks) =>
      (marks as unknown as { ownerDocument: { defaultView: { getComputedStyle: (mark: unknown) => Record<string, string> } } }[]).map(
        (mark) => {
          const { backgroundImage, fill } = mark.ownerDocument.defaultView.getComputedStyle(mark);
          return `${backgroundImage} ${fill}`;
        },
      ),
    );
    expect(drawn).toEqual([expect.stringContaining('repeating-linear-gradient'), expect.stringContaining('#hatching')]);
    await page.getByText(/it depends on a gate that the order never asked/).waitFor();
    await sameAfterReload();
    expect(await faultsInPlace(page, 'result')).toEqual([]);
    await page.getByRole('link', { name: /Orders that differ/ }).click();
    await region('Orders that differ').locator('tbody .hatch').waitFor();
    expect(await region('Orders that differ').locator('tbody tr').count()).toBe(1);
    expect(await faultsInPlace(page, 'orders that differ')).toEqual([]);
    await page.getByRole('link', { name: large }).click();
    await page.waitForURL(new RegExp(`/orders/${large}`));
  });

  it('has no forecast until a configuration was applied for the reason of a what-if, and then shows it', async () => {
    await open('/what-if?tab=forecast');
    await page.getByText('No forecast').waitFor();
    expect(await faultsInPlace(page, 'no forecast')).toEqual([]);
    const { whatIfId } = await ended(APPLIED);
    const file = served.service.orchEnvironment['ORCH_CONFIG'] ?? '';
    writeFileSync(file, readFileSync(file, 'utf8').replace(/("id":"1102","currency":"USD","gates":\[)"sim-a"/, '$1"sim-b"'));
    await served.ask('admin', '/configuration/apply', { reason: 'the what-if', whatIf: whatIfId });
    await served.show(page, '/what-if?tab=forecast');
    await page.getByText('No, it is in force').waitFor();
    await region('What the applied configuration').getByText('acme 1102').waitFor();
    await region('Expected ends')
      .getByRole('row', { name: /^Cannot be known 0 1$/ })
      .waitFor();
    expect(await faultsInPlace(page, 'forecast')).toEqual([]);
    await page.getByRole('link', { name: 'The what-if that was its reason' }).click();
    await page.waitForURL(new RegExp(`run=${whatIfId}`));
  });

  it('asks for rules if there are none, and shows a kept run', async () => {
    const { whatIfId } = await ended(UNASKED);
    await open('/what-if');
    await button('Start the what-if').click();
    await page.getByText('Write the rules to try').waitFor();
    await page.locator(`.kept a[href$="${whatIfId}"]`).click();
    await page.waitForURL(new RegExp(`run=${whatIfId}`));
    await region('Approved amounts').waitFor();
  });
});
