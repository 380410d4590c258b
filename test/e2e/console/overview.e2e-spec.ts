import type { Page } from 'playwright-core';
import type { components } from '../../../docs/openapi/operator';
import {
  Console,
  consoleConfiguration,
  faultsOfLooks,
  HAS_BROWSER,
  settled,
  tokenOf,
  WITHOUT_BROWSER,
} from '../../support/console/console';
import { CallbackReceiver } from '../../support/merchants/callback-receiver';
import { Merchant } from '../../support/merchants/merchant';
import { until } from '../../support/until';

jest.setTimeout(60_000);
const START_TIMEOUT_MS = 120_000;

type Overview = components['schemas']['Overview'];
type Gates = components['schemas']['ListedGates'];

/** A gate that answers nothing, whose circuit is closed all the same. */
const failing = (given: Gates): Gates => {
  const calls = { approved: 0, declined: 0, failed: 1, unknown: 12, pending: 0 };
  const latency = { p50Ms: null, p95Ms: null };
  const at = new Date(Date.parse(given.until) - 120_000).toISOString();
  const lastHour = { calls, latency, declines: [], minutes: [{ at, ...calls, ...latency }] };
  return { ...given, gates: given.gates.map((gate) => (gate.alias === 'sim-a' ? { ...gate, lastHour } : gate)) };
};

/** What takes hours or several processes to happen. */
const wrong = (given: Overview): Overview => ({
  ...given,
  unavailable: ['disputes'],
  disputes: null,
  unknownOutcomes: {
    count: 1_204,
    oldestAt: new Date(Date.parse(given.at) - 7_500_000).toISOString(),
    oldestSeconds: 7_500,
    amounts: [
      { currency: 'EUR', amount: '18204.50' },
      { currency: 'USD', amount: '97.1' },
    ],
  },
  projections: { behind: ['orders'], behindSeconds: 75 },
  configuration: {
    digest: 'a'.repeat(64),
    applied: { digest: 'a'.repeat(64), at: given.at },
    processes: [
      { process: 'fa1e1aa3-b44e', digest: 'a'.repeat(64), outcome: 'taken', why: null, at: given.at },
      { process: '0c44efd1-71aa', digest: 'b'.repeat(64), outcome: 'kept', why: 'gates must be the same', at: given.at },
    ],
  },
  actionsAlone: [
    {
      approvalId: 'p1',
      action: 'return-order',
      target: '1218710674',
      merchant: 'acme',
      amount: '250',
      currency: 'EUR',
      to: null,
      followUp: null,
      status: 'done',
      proposer: 'kim',
      decider: null,
      isAlone: true,
      cause: null,
      proposedAt: given.at,
      expiresAt: given.at,
      decidedAt: given.at,
    },
  ],
  alerts: [
    { name: 'OutcomeUnknownForLong', runbook: 'docs/watch.md#outcomeunknownforlong', value: 7_500 },
    { name: 'OutcomesUnknown', runbook: 'docs/watch.md#outcomesunknown', value: 1_204 },
    { name: 'ReadModelsBehind', runbook: 'docs/watch.md#readmodelsbehind', value: 75 },
  ],
});

if (!HAS_BROWSER) process.stderr.write(`\n${WITHOUT_BROWSER}\n\n`);

(HAS_BROWSER ? describe : describe.skip)('the overview', () => {
  let receiver: CallbackReceiver;
  let served: Console;
  let acme: Merchant;
  let page: Page;

  beforeAll(async () => {
    receiver = await CallbackReceiver.start();
    receiver.behave({ kind: 'status', status: 503 });
    served = await Console.open(consoleConfiguration({ ports: [receiver.port] }));
    acme = new Merchant(served.service);
    await Promise.all([
      acme.approvedSale({ server_callback_url: receiver.url('/callback') }),
      acme.approvedSale({ server_callback_url: receiver.url('/callback') }),
      acme.accepted(acme.sale({ cvv2: '116' })).then((order) => acme.finalStatus(order)),
    ]);
    const held = await served.service.send(`${served.service.operatorUrl}/gates/sim-3ds/hold`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokenOf('operator')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'The acquirer asked for it' }),
    });
    expect(held.status).toBe(200);
    await until(
      async () => {
        const { body } = await served.service.send(`${served.service.operatorUrl}/overview`, {
          headers: { authorization: `Bearer ${tokenOf('viewer')}` },
        });
        const { callbacks, lastHour } = JSON.parse(body) as Overview;
        const ended = lastHour?.orders.reduce((sum, { approved, declined }) => sum + approved + declined, 0);
        return ended === 3 && (callbacks?.waiting.count ?? 0) + (callbacks?.exhausted.count ?? 0) === 2;
      },
      { what: 'three orders and two failed callbacks on the overview' },
    );
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await served?.close();
    await receiver?.stop();
  }, START_TIMEOUT_MS);
  afterEach(async () => {
    await page?.context().close();
    expect(served.faults).toEqual([]);
  });

  const region = (name: string) => page.getByRole('region', { name });
  const worsen = (shown: Page): Promise<unknown> =>
    shown.route('**/overview', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: wrong((await answer.json()) as Overview) });
    });
  const openWrong = async (): Promise<void> => {
    page = await served.newPage();
    await worsen(page);
    await served.beginSession(page, 'admin');
    await served.show(page, '/');
  };

  it('names the merchant whose callbacks fail, why, and leads to them', async () => {
    page = await served.signedIn('viewer');
    const row = region('Failed callbacks by merchant and reason').getByRole('row').nth(1);
    expect(await row.textContent()).toMatch(/^acme.*503.*2/);
    await row.getByRole('link').press('Enter');
    await settled(page);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ queue: 'callbacks', merchant: 'acme' });
  });

  it('shows a held gate first, with the person who holds it', async () => {
    page = await served.signedIn('viewer');
    const rows = region('Gates, the worst first').getByRole('row');
    expect(await rows.nth(1).textContent()).toMatch(/^sim-3dsHeld by operator for/);
    expect(await rows.nth(2).textContent()).toMatch(/^sim-aHealthy/);
  });

  it('has a table for the chart of the last hour, and new orders arrive without a reload', async () => {
    page = await served.signedIn('viewer');
    await page.getByRole('button', { name: 'Show as table' }).click();
    const table = region('Orders that ended in the last hour, and gate calls without an outcome, by minute, as a table');
    const sumOf = async (column: number): Promise<number> => {
      const cells = await table.locator(`tbody td:nth-child(${column})`).allTextContents();
      return cells.reduce((sum, cell) => sum + Number(cell), 0);
    };
    const approved = await sumOf(2);
    expect([approved >= 2, await sumOf(3)]).toEqual([true, 1]);
    await acme.approvedSale();
    await until(async () => (await sumOf(2)) > approved, { what: 'one more approved order on the page' });
  });

  it('names a failing gate first, with its calls, and leads to its page, which says that new orders still go to it', async () => {
    page = await served.newPage({ width: 390 });
    await page.route('**/gates', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: failing((await answer.json()) as Gates) });
    });
    await served.beginSession(page, 'operator');
    await served.show(page, '/');
    const first = region('1 gate failing').getByRole('listitem').first();
    expect((await first.innerText()).replaceAll(/\s+/g, ' ')).toMatch(
      /^Gate sim-a fails Since .* UTC\. In the last hour 12 unknown and 1 failed of 13 calls\. New orders still go to it\.$/,
    );
    const [line, tiles] = [await first.boundingBox(), await region('Open work').boundingBox()];
    expect((line?.y ?? 0) + (line?.height ?? 0)).toBeLessThan(tiles?.y ?? 0);
    await page.getByText('Unknown (gate calls) 12').waitFor();
    await first.getByRole('link').click();
    const details = region('Gate sim-a');
    await details.getByText('New orders still go to it. Hold the gate, so that they avoid it.').waitFor();
    expect(await details.innerText()).not.toMatch(/The circuit is closed|Circuit in this state since|0 of 0/);
    // The queue cannot be limited to a gate.
    expect(await details.getByRole('link').count()).toBe(0);
  });

  it('leads from each figure to its list', async () => {
    page = await served.signedIn('operator');
    const cards = page.locator('.figure-card');
    await page.getByRole('link', { name: /^Approvals for me/ }).waitFor();
    const leads = await cards.evaluateAll((links) => (links as unknown as { textContent: string; href: string }[]).map(({ href }) => href));
    expect(leads.map((href) => href.slice(served.addressOf('').length))).toEqual([
      '/queues?queue=unknown',
      '/queues?queue=callbacks&state=exhausted',
      '/queues?queue=callbacks&state=waiting',
      '/queues?queue=disputes',
      '/queues?queue=cases',
      '/queues?queue=parked',
      '/approvals',
    ]);
  });

  it('shows a viewer nothing that the role lacks', async () => {
    page = await served.signedIn('viewer');
    expect(await page.getByText('Reconciliation cases').count()).toBe(0);
    expect(await page.getByText('Approvals').count()).toBe(0);
    expect(await page.getByRole('button', { name: 'Search' }).count()).toBe(0);
  });

  it('names alerts with their runbook, money in unknown outcomes, differing configurations and actions done alone', async () => {
    await openWrong();
    const alert = page.getByRole('listitem').filter({ hasText: 'An outcome is unknown for long' });
    expect(await alert.textContent()).toMatch(/The oldest for 2.h.5.min.*docs\/watch\.md#outcomeunknownforlong/);
    const unknown = page.getByRole('link', { name: /^Unknown outcomes/ });
    expect((await unknown.textContent())?.replaceAll('\u00a0', ' ')).toMatch(/1,204.*18,204\.50 EUR97\.10 USD/);
    await page.getByText('Some parts could not be read').waitFor();
    await page.getByText('Lists behind').waitFor();
    await page.getByText('Configurations differ').waitFor();
    await page.getByText('gates must be the same').waitFor();
    await region('Done without a second person, in the last seven days')
      .getByRole('row', { name: /kim.*return order.*250\.00/ })
      .waitFor();
  });

  it('keeps the last answer under the error of a newer question', async () => {
    page = await served.signedIn('viewer');
    await page.route('**/overview', (route) => route.abort());
    await acme.approvedSale();
    await page.getByText('Offline').waitFor();
    expect(await page.getByRole('link', { name: /^Unknown outcomes/ }).count()).toBe(1);
    await page.unroute('**/overview');
    await acme.approvedSale();
    await page.getByText('Offline').waitFor({ state: 'detached' });
  });

  it('has no fault of axe in both themes, and fits 390 and 320 px', async () => {
    expect(await faultsOfLooks(served, { person: 'admin', path: '/' })).toEqual([]);
    expect(
      await faultsOfLooks(served, {
        person: 'admin',
        path: '/',
        prepare: async (shown) => {
          await worsen(shown);
          await served.show(shown, '/');
        },
      }),
    ).toEqual([]);
  });
});
