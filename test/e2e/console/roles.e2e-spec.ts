import type { Page } from 'playwright-core';
import { OPERATOR_ROLES, type OperatorRole } from '@app/configuration';
import type { StreamName } from '@app/event-store';
import { mayAsk, type OperatorRequestName } from '@app/investigation';
import { Console, consoleConfiguration, HAS_BROWSER, WITHOUT_BROWSER, type Person, lostGate } from '../../support/console/console';
import { approveOnly, makeUnreadable } from '../../support/console/left-in-log';
import { CallbackReceiver } from '../../support/merchants/callback-receiver';
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

/** What the service has for every screen to act on. */
interface Story {
  readonly sale: string;
  readonly deliveryId: string;
  /** A preauthorisation under a legal hold. */
  readonly held: string;
  readonly unknown: string;
  readonly caseId: string;
  readonly parked: StreamName;
  readonly proposals: { readonly byOperator: Proposal; readonly byAdmin: Proposal; readonly unexecuted: Proposal };
}

interface Proposal {
  readonly approvalId: string;
  readonly orderId: string;
}

/** A button, its request, and where the port takes that. `within`: the name of the article that has it. */
interface Action {
  readonly button: RegExp | string;
  readonly within?: string;
  readonly request: OperatorRequestName;
  readonly path: string;
  /** Refused to an operator of some merchants. */
  readonly isOfWhole?: true;
}

const ofProposal = ({ approvalId, orderId }: Proposal): readonly Action[] => [
  { button: 'Approve', within: orderId, request: 'approve-action', path: `/approvals/${approvalId}/approving` },
  { button: 'Reject', within: orderId, request: 'reject-action', path: `/approvals/${approvalId}/rejecting` },
];

/** Every action of every screen, by the address where its button is. */
const actionsFor = (
  person: Person,
  { sale, deliveryId, held, unknown, caseId, parked, proposals }: Story,
): Readonly<Record<string, readonly Action[]>> => ({
  [`/orders/${sale}?tab=callbacks`]: [
    { button: 'Refund', request: 'return-order', path: `/orders/${sale}/returns` },
    { button: 'Void', request: 'void-order', path: `/orders/${sale}/voids` },
    { button: 'Evidence pack', request: 'order-evidence', path: `/audit/orders/${sale}/evidence` },
    { button: 'Reveal personal data', request: 'reveal-order', path: `/audit/orders/${sale}/reveal` },
    { button: 'Record a dispute', request: 'record-report', path: `/orders/${sale}/reports` },
    { button: 'Place legal hold', request: 'place-hold', path: `/orders/${sale}/hold` },
    { button: 'Erase personal data', request: 'erase-order', path: `/orders/${sale}/erasure` },
    { button: 'Resend', request: 'resend-delivery', path: `/deliveries/${deliveryId}/resend` },
  ],
  [`/orders/${held}`]: [
    { button: 'Capture', request: 'capture-order', path: `/orders/${held}/captures` },
    { button: 'Release legal hold', request: 'release-hold', path: `/orders/${held}/hold/release` },
  ],
  [`/orders/${unknown}`]: [{ button: 'Resolve outcome', request: 'settle-unknown', path: `/orders/${unknown}/resolution` }],
  '/queues': [{ button: `Resolve the outcome of order ${unknown}`, request: 'settle-unknown', path: `/orders/${unknown}/resolution` }],
  '/queues?queue=callbacks': [
    { button: `Resend the callback of order ${sale}`, request: 'resend-delivery', path: `/deliveries/${deliveryId}/resend` },
    { button: 'Resend all of this filter', request: 'resend-deliveries', path: '/deliveries/resending' },
  ],
  [`/queues?queue=cases&case=${caseId}`]: [
    { button: 'Close without a change', request: 'close-case', path: `/reconciliation/cases/${caseId}/closing` },
    { button: 'Apply the gate’s side', request: 'apply-case', path: `/reconciliation/cases/${caseId}/application` },
  ],
  // The list concerns the whole service. Who sees some merchants may unpark a stream of theirs only by its name.
  ...(person !== 'limited' && {
    '/queues?queue=parked': [{ button: `Unpark ${parked}`, request: 'unpark-stream', path: `/streams/${parked}/unparking` }],
  }),
  '/gates?gate=sim-a': [
    { button: 'Hold gate sim-a', request: 'hold-gate', path: '/gates/sim-a/hold', isOfWhole: true },
    { button: 'Hold an entry point', request: 'hold-endpoint', path: '/endpoints/1003/hold' },
    { button: 'Release entry point 1002', request: 'release-endpoint', path: '/endpoints/1002/hold/release' },
  ],
  '/gates?gate=sim-3ds': [
    { button: 'Release gate sim-3ds', request: 'release-gate', path: '/gates/sim-3ds/hold/release', isOfWhole: true },
  ],
  '/gates?tab=routing&endpoint=1001&amount=10.00': [{ button: 'Explain the route', request: 'explain-route', path: '/routes/explanation' }],
  '/what-if': [{ button: 'Start the what-if', request: 'start-what-if', path: '/what-ifs' }],
  '/approvals': [
    ...ofProposal(person === 'operator' ? proposals.byAdmin : proposals.byOperator),
    {
      button: 'Execute',
      within: proposals.unexecuted.orderId,
      request: 'execute-action',
      path: `/approvals/${proposals.unexecuted.approvalId}/execution`,
    },
  ],
});

const roleOf = (person: Person): OperatorRole => (person === 'limited' ? 'admin' : person);
const isPermitted = (person: Person, { request, isOfWhole }: Action): boolean =>
  mayAsk(roleOf(person), request) && !(person === 'limited' && isOfWhole === true);
/** Of an action without its members: the missing ones are refused only after the role. */
const VERDICTS: Readonly<Record<number, string>> = { 400: 'permitted', 403: 'refused' };

if (!HAS_BROWSER) process.stderr.write(`\n${WITHOUT_BROWSER}\n\n`);

(HAS_BROWSER ? describe : describe.skip)('roles in the console', () => {
  let receiver: CallbackReceiver;
  let served: Console;
  let page: Page;
  let story: Story;
  let orderOfOther: string;

  const proposed = async (acme: Merchant, person: Person): Promise<Proposal> => {
    const { orderId } = await acme.approvedSale();
    const { approval } = await served.ask(person, `/orders/${orderId}/returns`, { key: 'ticket-1', reason: 'Asked by the shop' });
    return { orderId, approvalId: (approval as { approvalId: string }).approvalId };
  };

  beforeAll(async () => {
    receiver = await CallbackReceiver.start();
    // The gate's outcomes stay unknown, and the shop accepts no callback.
    receiver.behave({ kind: 'status', status: 502 });
    served = await Console.open(
      consoleConfiguration({
        ...lostGate(receiver),
        whole: { approvals: { refund: { from: '1.00 USD' } } },
      }),
    );
    const { service } = served;
    const acme = new Merchant(service);
    const other = new Merchant(service, { login: 'other', controlKey: OTHER_CONTROL_KEY, at: '9001' });
    const { orderId: unknown } = await acme.accepted(acme.sale({}, { at: '1010' }));
    const { orderId: sale } = await acme.approvedSale({ server_callback_url: receiver.url('/shop') });
    const { orderId: held } = await acme.approved(acme.preauth());
    const [ofCase, unread] = [await acme.approvedSale(), await acme.approvedSale()];
    ({ orderId: orderOfOther } = await other.approvedSale());
    const because = { reason: 'Asked by the acquirer' };
    await served.ask('operator', `/orders/${held}/hold`, because);
    await served.ask('operator', '/gates/sim-3ds/hold', because);
    await served.ask('operator', '/endpoints/1002/hold', because);
    await served.ask('operator', '/reconciliation/cases', {
      gate: 'sim-a',
      source: 'file',
      cases: [
        {
          kind: 'different',
          original: 'of-the-acquirer',
          // Without the key of its attempt the case could not be applied.
          key: (await served.event(ofCase, 1))['attemptKey'],
          operation: 'sale',
          order: { orderId: ofCase.orderId, merchant: 'acme' },
          differences: [{ field: 'status', ours: 'approved', theirs: 'declined' }],
          told: { status: 'declined', amountMinor: '1042', currency: 'USD' },
        },
      ],
    });
    const proposals = {
      byOperator: await proposed(acme, 'operator'),
      byAdmin: await proposed(acme, 'admin'),
      unexecuted: await proposed(acme, 'operator'),
    };
    const parked = await served.streamOf(unread);
    await service.stop();
    await approveOnly(service.dataDir, proposals.unexecuted.approvalId, 'admin');
    makeUnreadable(service.dataDir, parked);
    await service.restart();
    const [delivery] = await served.listed('/deliveries?state=failed', 'deliveries', 1);
    const [listedCase] = await served.listed('/reconciliation/cases', 'cases', 1);
    await served.listed('/orders/unknown', 'orders', 1);
    await served.listed('/streams/parked', 'streams', 1);
    await served.listed('/approvals?state=waiting', 'approvals', 2);
    await served.listed('/approvals?state=approved', 'approvals', 1);
    story = {
      sale,
      held,
      unknown,
      parked,
      proposals,
      deliveryId: String(delivery?.['deliveryId']),
      caseId: String(listedCase?.['caseId']),
    };
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    await served?.close();
    await receiver?.stop();
  }, START_TIMEOUT_MS);
  afterEach(async () => {
    await page.context().close();
    expect(served.faults).toEqual([]);
  });

  /** Sent by the page itself, as a person with the tools of a browser could. */
  const statusesOf = (paths: readonly string[], body = '{"reason":0}'): Promise<readonly number[]> =>
    page.evaluate<readonly number[]>(
      `Promise.all(${JSON.stringify(paths)}.map((path) => fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(body)} }).then(({ status }) => status)))`,
    );
  /** Of a closed menu too. */
  const buttonOf = ({ button, within }: Action) =>
    (within === undefined ? page.locator('main') : page.getByRole('article', { name: within })).getByRole('button', {
      name: button,
      exact: true,
      includeHidden: true,
    });

  it.each(OPERATOR_ROLES)('%s sees the screens that the role may read, and a refusal at the address of another', async (role) => {
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

  it.each([...OPERATOR_ROLES, 'limited'] as const)('%s sees the buttons of what the port permits, and no other', async (person) => {
    page = await served.signedIn(person);
    const expected: string[] = [];
    const found: string[] = [];
    for (const [address, actions] of Object.entries(actionsFor(person, story))) {
      await served.show(page, address);
      const statuses = await statusesOf(actions.map(({ path }) => path));
      const permitted = actions.filter((action) => isPermitted(person, action));
      // A missing one is named below.
      await Promise.all(
        permitted.map((action) =>
          buttonOf(action)
            .first()
            .waitFor({ state: 'attached' })
            .catch(() => undefined),
        ),
      );
      for (const [index, action] of actions.entries()) {
        const { button, request } = action;
        const line = (isShown: boolean, verdict: string): string =>
          `${address}: ${request} ${verdict}, "${button}" ${isShown ? 'shown' : 'absent'}`;
        expected.push(line(isPermitted(person, action), isPermitted(person, action) ? 'permitted' : 'refused'));
        const status = statuses[index] ?? 0;
        found.push(line((await buttonOf(action).count()) > 0, VERDICTS[status] ?? String(status)));
      }
    }
    expect(found).toEqual(expected);
  });

  it('an admin of one merchant finds no order of another and nothing of the whole service, and may not act on them', async () => {
    page = await served.signedIn('limited', `/orders/${orderOfOther}`);
    await page.getByText('Not found').first().waitFor();
    expect(
      await page
        .locator('main')
        .getByRole('button', { name: /Refund|Void|Evidence|Reveal|hold|Erase/, includeHidden: true })
        .count(),
    ).toBe(0);
    expect(await statusesOf([`/orders/${orderOfOther}/hold`], '{"reason":"why"}')).toEqual([404]);
    await served.show(page, '/queues');
    expect(await page.getByRole('navigation', { name: 'Queues' }).getByRole('link', { name: 'Parked streams' }).count()).toBe(0);
    await served.show(page, '/queues?queue=parked');
    await page.getByText('Refused').first().waitFor();
  });
});
