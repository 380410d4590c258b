import type { Page } from 'playwright-core';
import { OPERATOR_ROLES } from '@app/configuration';
import { mayAsk, type OperatorRequestName } from '@app/investigation';
import { Console, HAS_BROWSER, settled, WITHOUT_BROWSER } from '../../support/console/console';
import { Merchant } from '../../support/merchants/merchant';
import { OTHER_CONTROL_KEY } from '../../support/processes/sandbox-configuration';

jest.setTimeout(60_000);
const START_TIMEOUT_MS = 120_000;

/** The entry in the navigation, its address, and the request without which it shows nothing. */
const SCREENS: readonly (readonly [entry: string, address: string, request: OperatorRequestName])[] = [
  ['Overview', '/', 'show-overview'],
  ['Orders', '/orders', 'list-orders'],
  ['Queues', '/queues', 'list-unknown'],
  ['Gates', '/gates', 'list-gates'],
  ['What-if', '/what-if', 'list-what-ifs'],
  ['Approvals', '/approvals', 'list-approvals'],
  ['Activity', '/activity', 'list-activity'],
  ['Log', '/log', 'show-log'],
];

/** What an approved sale offers: the button, its request, and where the port takes it. */
const ACTIONS: readonly (readonly [button: string, request: OperatorRequestName, path: (orderId: string) => string])[] = [
  ['Refund', 'return-order', (order) => `/orders/${order}/returns`],
  ['Void', 'void-order', (order) => `/orders/${order}/voids`],
  ['Evidence pack', 'order-evidence', (order) => `/audit/orders/${order}/evidence`],
  ['Reveal personal data', 'reveal-order', (order) => `/audit/orders/${order}/reveal`],
  ['Record a dispute', 'record-report', (order) => `/orders/${order}/reports`],
  ['Place legal hold', 'place-hold', (order) => `/orders/${order}/hold`],
  ['Erase personal data', 'erase-order', (order) => `/orders/${order}/erasure`],
];
const FORBIDDEN = 403;

if (!HAS_BROWSER) process.stderr.write(`\n${WITHOUT_BROWSER}\n\n`);

(HAS_BROWSER ? describe : describe.skip)('roles in the console', () => {
  let served: Console;
  let page: Page;
  let orderId: string;
  let orderOfOther: string;

  beforeAll(async () => {
    served = await Console.open();
    const other = new Merchant(served.service, { login: 'other', controlKey: OTHER_CONTROL_KEY, at: '9001' });
    ({ orderId } = await new Merchant(served.service).approvedSale());
    ({ orderId: orderOfOther } = await other.approvedSale());
  }, START_TIMEOUT_MS);
  afterAll(() => served?.close(), START_TIMEOUT_MS);
  afterEach(async () => {
    await page.context().close();
    expect(served.faults).toEqual([]);
  });

  /** Sent by the page itself, as a person with the tools of a browser could. An empty body is refused only after the role. */
  const statusOf = (path: string): Promise<number> =>
    page.evaluate<number>(
      `fetch(${JSON.stringify(path)}, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }).then(({ status }) => status)`,
    );
  /** Buttons of a closed menu too. */
  const buttons = async (): Promise<readonly string[]> => {
    const texts = await page.locator('main button').allTextContents();
    return texts.map((text) => text.trim());
  };

  describe.each(OPERATOR_ROLES)('%s', (role) => {
    it('sees the screens that the role may read, and a refusal at the address of another', async () => {
      page = await served.signedIn(role);
      const entries = await page.getByRole('navigation', { name: 'Screens' }).getByRole('link').allTextContents();
      expect(entries).toEqual(SCREENS.flatMap(([entry, , request]) => (mayAsk(role, request) ? [entry] : [])));
      for (const [entry, address, request] of SCREENS)
        if (!mayAsk(role, request)) {
          await served.show(page, address);
          expect(await page.locator('main h1').textContent()).toBe(entry);
          await page.getByText('This page needs the role').waitFor();
        }
    });

    it('sees the buttons of an order for which the port does not refuse the role, and no other', async () => {
      page = await served.signedIn(role, `/orders/${orderId}`);
      if (mayAsk(role, 'show-order')) await page.getByRole('button', { name: 'Evidence pack' }).waitFor();
      const shown = await buttons();
      const expected = ACTIONS.map(([button, request]) => [button, mayAsk(role, request), mayAsk(role, request)]);
      const found = [];
      for (const [button, , path] of ACTIONS) found.push([button, shown.includes(button), (await statusOf(path(orderId))) !== FORBIDDEN]);
      expect(found).toEqual(expected);
    });
  });

  it('an admin of one merchant finds no order of another, and may not act on it', async () => {
    page = await served.signedIn('limited', `/orders/${orderId}`);
    await page.getByRole('button', { name: 'Refund' }).waitFor();
    await served.show(page, `/orders/${orderOfOther}`);
    await settled(page);
    await page.getByText('Not found').first().waitFor();
    const shown = await buttons();
    for (const [button, , path] of ACTIONS) {
      expect(shown).not.toContain(button);
      expect([400, 403, 404]).toContain(await statusOf(path(orderOfOther)));
    }
  });
});
