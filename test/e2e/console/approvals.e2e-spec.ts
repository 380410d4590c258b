import { readFileSync, writeFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import {
  axeFaults,
  Console,
  consoleConfiguration,
  faultsOfLooks,
  HAS_BROWSER,
  settled,
  WITHOUT_BROWSER,
  type Person,
} from '../../support/console/console';
import { Merchant } from '../../support/merchants/merchant';
import { until } from '../../support/until';

jest.setTimeout(90_000);
const START_TIMEOUT_MS = 120_000;
const ACCEPTED = 202;
const FORBIDDEN = 403;
const DAY_MS = 86_400_000;

if (!HAS_BROWSER) process.stderr.write(`\n${WITHOUT_BROWSER}\n\n`);

(HAS_BROWSER ? describe : describe.skip)('approvals in the console', () => {
  let served: Console;
  let acme: Merchant;
  const pages: Page[] = [];

  beforeAll(async () => {
    served = await Console.open(
      consoleConfiguration({ whole: { approvals: { refund: { from: '1.00 USD' }, applyConfiguration: 'always' } } }),
    );
    acme = new Merchant(served.service);
  }, START_TIMEOUT_MS);
  afterAll(() => served?.close(), START_TIMEOUT_MS);
  afterEach(async () => {
    for (const page of pages.splice(0)) await page.context().close();
    expect(served.faults).toEqual([]);
  });

  const open = async (person: Person, path = '/approvals'): Promise<Page> => {
    const page = await served.signedIn(person, path);
    pages.push(page);
    return page;
  };
  const proposalOf = (page: Page, orderId: string) => page.getByRole('article', { name: `${orderId}` });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const decide = async (page: Page, verb: string, reason: string): Promise<void> => {
    await page.getByRole('dialog').getByLabel('Reason').fill(reason);
    await page.getByRole('dialog').getByRole('button', { name: verb, exact: true }).click();
  };
  /** The list may be a moment behind the decision. */
  const listed = (page: Page, wanted: Locator): Promise<unknown> =>
    until(
      async () => {
        if ((await wanted.count()) > 0) return true;
        await button(page, 'Reload').click();
        await settled(page);
        return (await wanted.count()) > 0;
      },
      { what: 'the decision in the list' },
    );
  /** Proposes the refund of a new sale in the order screen. */
  const proposed = async (page: Page): Promise<string> => {
    const { orderId } = await acme.approvedSale();
    await served.show(page, `/orders/${orderId}`);
    await button(page, 'Refund').click();
    await decide(page, 'Refund', 'Asked by the shop');
    await page.getByText('waits for the approval of a second person').first().waitFor();
    return orderId;
  };
  /** Sent by the page itself, as a person with the tools of a browser could. */
  const statusOf = (page: Page, path: string): Promise<number> =>
    page.evaluate<number>(
      `fetch(${JSON.stringify(path)}, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"reason":"why"}' }).then(({ status }) => status)`,
    );
  const idOf = async (page: Page): Promise<string> => {
    const [id = ''] = await page.evaluate<readonly string[]>(
      "fetch('/approvals?state=waiting').then((answer) => answer.json()).then(({ approvals }) => approvals.map(({ approvalId }) => approvalId))",
    );
    return id;
  };

  it('needs two people in two browsers: the proposer cannot approve, another one can, and the order changes', async () => {
    const proposer = await open('operator');
    const orderId = await proposed(proposer);
    await served.show(proposer, '/approvals?tab=mine');
    const own = proposalOf(proposer, orderId);
    await own.getByText('You proposed this: another person must decide').waitFor();
    expect(await own.getByRole('button').allTextContents()).toEqual(['Withdraw']);
    expect(await axeFaults(proposer)).toEqual([]);
    const approver = await open('admin');
    expect(await statusOf(proposer, `/approvals/${await idOf(approver)}/approving`)).toBe(FORBIDDEN);

    const waiting = proposalOf(approver, orderId);
    await waiting.getByText('10.42 USD goes back to the payer').waitFor();
    await waiting.getByRole('button', { name: 'Approve', exact: true }).click();
    await decide(approver, 'Approve and execute', 'Checked with the shop');
    await approver.getByText('Approved: Refund').waitFor();
    await waiting.getByText('Executed').waitFor();
    expect(await waiting.getByRole('button').count()).toBe(0);
    await approver.getByRole('link', { name: 'Decided' }).click();
    await listed(approver, waiting.getByText('Executed'));
    await listed(proposer, own.getByText('by admin'));
    await served.show(approver, `/orders/${orderId}?tab=attempts`);
    await approver.getByRole('table', { name: 'Follow-ups' }).getByText('Refund').waitFor();
  });

  it('is rejected with a reason, or withdrawn by the proposer', async () => {
    const proposer = await open('operator');
    const [first, second] = [await proposed(proposer), await proposed(proposer)];
    await served.show(proposer, '/approvals');
    await proposalOf(proposer, first).getByRole('button', { name: 'Withdraw' }).click();
    await proposer.getByRole('dialog').getByRole('button', { name: 'Withdraw', exact: true }).click();
    await proposer.getByText('Say why, in a few words.').waitFor();
    await decide(proposer, 'Withdraw', 'A mistake');
    await proposalOf(proposer, first).getByText('Rejected').waitFor();
    const other = await open('limited');
    await proposalOf(other, second).getByRole('button', { name: 'Reject' }).click();
    await decide(other, 'Reject', 'The shop returned it already');
    await proposalOf(other, second).getByText('Rejected').waitFor();
    await served.show(other, '/approvals?tab=decided');
    for (const orderId of [first, second]) await listed(other, proposalOf(other, orderId).getByText('Rejected'));
  });

  it('marks an admin who acted alone', async () => {
    const admin = await open('admin');
    const orderId = await proposed(admin);
    await served.show(admin, '/approvals');
    await proposalOf(admin, orderId).getByRole('button', { name: 'Approve alone' }).click();
    await admin.getByText('This raises an alarm').waitFor();
    await decide(admin, 'Approve alone', 'Nobody else is awake');
    await admin.getByRole('link', { name: 'Decided' }).click();
    await listed(admin, proposalOf(admin, orderId).getByText('Acted alone'));
  });

  it('shows a proposed configuration member by member, and then its changes', async () => {
    const admin = await open('admin');
    const file = served.service.orchEnvironment['ORCH_CONFIG'] ?? '';
    const configuration = JSON.parse(readFileSync(file, 'utf8')) as { approvals: object };
    writeFileSync(file, JSON.stringify({ ...configuration, approvals: { ...configuration.approvals, refund: { from: '2.00 USD' } } }));
    expect(await statusOf(admin, '/configuration/apply')).toBe(ACCEPTED);
    const proposal = proposalOf(admin, 'configuration');
    await listed(admin, proposal);
    await proposal.getByText('Changes of the configuration').click();
    await proposal.getByText('approvals.refund').waitFor();
    expect(await proposal.locator('.changes').innerText()).toMatch(/changed\s+from 1\.00 USD\s+becomes\s+from 2\.00 USD/);
    await admin.waitForURL(/open=/);
    await proposal.getByRole('button', { name: 'Approve alone' }).click();
    await decide(admin, 'Approve alone', 'Nobody else is awake');
    await proposal.getByText('Executed').waitFor();
    await served.show(admin, '/activity?tab=configuration');
    const changed = admin.getByRole('region', { name: 'What it changed' });
    await changed.getByText('from 2.00 USD').waitFor();
  });

  it('is invalidated, and says so, if the order changed after it was proposed', async () => {
    const proposer = await open('operator');
    const orderId = await proposed(proposer);
    const approver = await open('admin');
    const waiting = proposalOf(approver, orderId);
    await waiting.getByRole('button', { name: 'Approve', exact: true }).click();
    // Below the limit of the rule, so that it is executed at once.
    await served.ask('operator', `/orders/${orderId}/returns`, { key: 'a-smaller-refund', amount: '0.50', reason: 'Asked by the shop' });
    await decide(approver, 'Approve and execute', 'Checked with the shop');
    // In the dialog, or in a message if the list is read again and takes the dialog away.
    await approver.getByRole('alert').getByText('the proposal is invalidated').first().waitFor();
    await approver.keyboard.press('Escape');
    await approver.getByRole('link', { name: 'Decided' }).click();
    await listed(approver, waiting.getByText('Invalidated'));
    await waiting.getByText(/^The record changed after the proposal.* Nothing was changed\. Propose it again/).waitFor();
    expect(await waiting.getByRole('button').count()).toBe(0);
    expect(await axeFaults(approver)).toEqual([]);
    await served.show(approver, `/orders/${orderId}?tab=attempts`);
    const refunds = approver.getByRole('table', { name: 'Follow-ups' });
    await refunds.getByText('0.50 USD').waitFor();
    expect(await refunds.innerText()).not.toContain('10.42 USD');
  });

  it('expires in front of the reader, and offers no decision then', async () => {
    const proposer = await open('operator');
    const orderId = await proposed(proposer);
    const approver = await served.newPage();
    pages.push(approver);
    await approver.clock.install();
    await served.beginSession(approver, 'admin');
    await served.show(approver, '/approvals');
    const waiting = proposalOf(approver, orderId);
    await waiting.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    await approver.clock.fastForward(DAY_MS);
    await waiting.getByText('Nobody decided within 24 hours. Nothing was changed.').waitFor();
    expect(await waiting.getByRole('button').count()).toBe(0);
    expect(await axeFaults(approver)).toEqual([]);
  });

  it('shows an investigator no decision and a viewer nothing, and the port refuses both', async () => {
    const proposer = await open('operator');
    const orderId = await proposed(proposer);
    const investigator = await open('investigator');
    const id = await idOf(investigator);
    await proposalOf(investigator, orderId).getByText('A decision needs the role operator.').waitFor();
    expect(await proposalOf(investigator, orderId).getByRole('button').count()).toBe(0);
    const viewer = await open('viewer');
    await settled(viewer);
    await viewer.getByText('Refused').first().waitFor();
    expect(await viewer.getByRole('article').count()).toBe(0);
    for (const page of [investigator, viewer])
      for (const what of ['approving', 'rejecting', 'execution']) expect(await statusOf(page, `/approvals/${id}/${what}`)).toBe(FORBIDDEN);
    expect(await faultsOfLooks(served, { person: 'admin', path: '/approvals' })).toEqual([]);
  });

  it('is executed by another person, once, if the process ended during the execution', async () => {
    const proposer = await open('operator');
    const orderId = await proposed(proposer);
    await served.service.restart({ FAILPOINT: 'P3' });
    const approver = await open('admin');
    await proposalOf(approver, orderId).getByRole('button', { name: 'Approve', exact: true }).click();
    const died = served.service.exited();
    await decide(approver, 'Approve and execute', 'Checked with the shop');
    await died;
    await approver.getByRole('dialog').getByRole('alert').waitFor();
    await served.service.restart({});
    const other = await open('limited');
    const unfinished = other.getByRole('region', { name: 'Approved, execution not recorded' });
    await listed(other, unfinished);
    await unfinished.getByText(/^It was approved, and then a process ended.*what was completed is not repeated\.$/).waitFor();
    expect(await axeFaults(other)).toEqual([]);
    await unfinished.getByRole('button', { name: 'Execute', exact: true }).click();
    await other.getByText('Executed').first().waitFor();
    await other.getByRole('link', { name: 'Decided' }).click();
    await listed(other, proposalOf(other, orderId).getByText('Executed'));
    await served.show(other, `/orders/${orderId}?tab=attempts`);
    const refunds = other.getByRole('table', { name: 'Follow-ups' });
    await refunds.getByText('Refund').waitFor();
    expect(await refunds.getByText('10.42 USD').count()).toBe(1);
  });
});
