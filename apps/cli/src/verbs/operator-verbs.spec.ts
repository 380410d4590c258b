import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ActivityShown, CheckedConfiguration, ConfigurationStatus, ListedApproval, ListedDelivery } from '@app/investigation';
import { runOrch } from '../program';

const AT = '2026-11-27T08:00:00.000Z';
const ORDER = {
  ...{ orderId: '1048506000', clientOrderId: 'inv-a', merchant: 'acme', amount: '10.42', currency: 'USD', status: 'approved' },
  ...{ stage: 'sale_approved', gate: 'sim-a', acceptedAt: AT, followUps: [] },
};
const FIND = 'GET /orders/find?q=inv-a';
const FOUND = { found: [{ by: ['client_orderid'], order: ORDER }] };
const NAMED = '"merchant":"acme","actor":"kim"';
const ID = 'a'.repeat(52);
const DELIVERY = '5a17c0de-0000-5000-8000-00000000dead:callback';
const STREAM = `payment-${ID}`;

const followUp = (operation: string) => ({
  orderId: ORDER.orderId,
  followUp: { number: 2, operation, amount: '1.00', currency: 'USD', status: 'accepted' },
});
const approval: ListedApproval = {
  approvalId: ID,
  action: 'return-order',
  target: ORDER.orderId,
  merchant: 'acme',
  amount: '1.00',
  currency: 'USD',
  to: null,
  followUp: null,
  status: 'waiting',
  proposer: 'operator:kim',
  decider: null,
  isAlone: false,
  cause: null,
  proposedAt: AT,
  expiresAt: '2026-11-28T08:00:00.000Z',
  decidedAt: null,
};
const PROPOSED = `${ID}  return-order 1048506000 of 1.00 USD (acme)  `;
const delivery: ListedDelivery = {
  orderId: null,
  merchant: 'acme',
  deliveryId: DELIVERY,
  target: 'callback',
  status: 'exhausted',
  attempts: 1,
  lastResult: 'HTTP 500\u001b[2J',
  firstAttemptAt: AT,
  lastChangeAt: AT,
  nextAttemptAt: null,
  ageSeconds: 60,
};
const activity: ActivityShown = {
  at: AT,
  kind: 'action',
  person: 'kim',
  claimedActor: 'lee',
  role: 'operator',
  name: 'return-order',
  target: ORDER.orderId,
  outcome: 'done',
  count: null,
};
const ACTED = '2026-11-27 08:00:00.000Z  kim for lee  action return-order 1048506000: done\n';
const checked: CheckedConfiguration = {
  digest: 'd-2',
  inForce: 'd-1',
  changes: [{ field: 'gates.sim-a.timeoutMs', before: '1000', after: '2000' }],
  changeCount: 1,
  needsRestart: [],
  faults: [],
};
const status: ConfigurationStatus = {
  digest: 'd-1',
  applied: { digest: 'd-2', at: AT },
  processes: [{ process: 'p-1', digest: 'd-1', outcome: 'kept', why: 'another file', at: AT }],
};

interface Case {
  readonly words: string;
  /** Method, path and body of each request, with its answer. */
  readonly asks: Readonly<Record<string, object>>;
  readonly text: string;
  /** The lines of `--json`, without the version. */
  readonly json: readonly object[];
}

const VERBS: readonly Case[] = [
  {
    words: 'refund inv-a --amount 1.00 --key ticket-1 --reason x --actor kim',
    asks: {
      [FIND]: FOUND,
      [`POST /orders/1048506000/returns {"reason":"x","key":"ticket-1",${NAMED},"amount":"1.00"}`]: followUp('return'),
    },
    text: 'order 1048506000, follow-up 2: return of 1.00 is accepted\n',
    json: [followUp('return')],
  },
  {
    words: 'refund inv-a --alone --key ticket-1 --reason x --actor kim',
    asks: { [FIND]: FOUND, [`POST /orders/1048506000/returns {"reason":"x","key":"ticket-1",${NAMED},"alone":true}`]: { approval } },
    text: `${PROPOSED}waiting until 2026-11-28 08:00:00.000Z, proposed by operator:kim\n`,
    json: [{ approval }],
  },
  {
    words: 'capture inv-a --key ticket-1 --reason x --actor kim',
    asks: { [FIND]: FOUND, [`POST /orders/1048506000/captures {"reason":"x","key":"ticket-1",${NAMED}}`]: followUp('capture') },
    text: 'order 1048506000, follow-up 2: capture of 1.00 is accepted\n',
    json: [followUp('capture')],
  },
  {
    words: 'void inv-a --key ticket-1 --reason x --actor kim',
    asks: { [FIND]: FOUND, [`POST /orders/1048506000/voids {"reason":"x","key":"ticket-1",${NAMED}}`]: followUp('void') },
    text: 'order 1048506000, follow-up 2: void of 1.00 is accepted\n',
    json: [followUp('void')],
  },
  {
    words: `deliveries resend ${DELIVERY} --reason x --actor kim`,
    asks: { [`POST /deliveries/${encodeURIComponent(DELIVERY)}/resend {"reason":"x","actor":"kim"}`]: { isDueAlready: false } },
    text: 'the callback is sent again now\n',
    json: [{ isDueAlready: false }],
  },
  {
    words: 'deliveries resend --failed --merchant acme --reason x --actor kim',
    asks: { [`POST /deliveries/resending {"reason":"x","actor":"kim","state":"failed","merchant":"acme"}`]: { count: 3, token: 't' } },
    text: '3 callbacks would be sent again. To send them, add --yes\n',
    json: [{ count: 3, token: 't' }],
  },
  {
    words: 'deliveries resend --failed --yes --reason x --actor kim',
    asks: {
      [`POST /deliveries/resending {"reason":"x","actor":"kim","state":"failed"}`]: { count: 3, token: 't' },
      [`POST /deliveries/resending {"reason":"x","actor":"kim","state":"failed","token":"t"}`]: { requested: 1, skipped: 1, next: 'c' },
      [`POST /deliveries/resending {"reason":"x","actor":"kim","state":"failed","token":"t","cursor":"c"}`]: { requested: 1, skipped: 0 },
    },
    text: '2 callbacks are sent again, 1 skipped: due already, or changed since the count\n',
    json: [{ requested: 2, skipped: 1 }],
  },
  {
    words: 'deliveries --failed --limit 1',
    asks: { 'GET /deliveries?state=failed&limit=1': { deliveries: [delivery], next: 'c' } },
    text: `2026-11-27 08:00:00.000Z  ${DELIVERY}  order - of acme  exhausted after 1 attempt, HTTP 500\\u{1b}[2J\n`,
    json: [delivery, { next: 'c' }],
  },
  {
    words: 'approvals --mine',
    asks: { 'GET /approvals?state=waiting&mine=true': { approvals: [approval] } },
    text: `${PROPOSED}waiting until 2026-11-28 08:00:00.000Z, proposed by operator:kim\n`,
    json: [approval],
  },
  {
    words: `approvals approve ${ID} --reason x --actor kim`,
    asks: { [`POST /approvals/${ID}/approving {"reason":"x","actor":"kim"}`]: { approval: { ...approval, status: 'done', decider: 'operator:ann', isAlone: true } } }, // prettier-ignore
    text: `${PROPOSED}done, proposed by operator:kim, decided by operator:ann alone\n`,
    json: [{ approval: { ...approval, status: 'done', decider: 'operator:ann', isAlone: true } }],
  },
  {
    words: `approvals reject ${ID} --reason x --actor kim`,
    asks: { [`POST /approvals/${ID}/rejecting {"reason":"x","actor":"kim"}`]: { approval: { ...approval, status: 'rejected' } } },
    text: `${PROPOSED}rejected, proposed by operator:kim\n`,
    json: [{ approval: { ...approval, status: 'rejected' } }],
  },
  {
    words: `approvals execute ${ID} --actor kim`,
    asks: { [`POST /approvals/${ID}/execution {"actor":"kim"}`]: { approval: { ...approval, status: 'refused', cause: 'order-moved' } } },
    text: `${PROPOSED}refused (order-moved), proposed by operator:kim\n`,
    json: [{ approval: { ...approval, status: 'refused', cause: 'order-moved' } }],
  },
  {
    words: 'activity --kind action --all',
    asks: {
      'GET /activity?kind=action': { activity: [activity], next: 'c' },
      'GET /activity?kind=action&cursor=c': { activity: [activity] },
    },
    text: ACTED + ACTED,
    json: [activity, activity],
  },
  {
    words: 'audit operator kim --without query',
    asks: { 'GET /activity?without=query&person=kim': { activity: [{ ...activity, kind: 'refusal', name: 'role', claimedActor: null, target: null, outcome: null, count: 3 }] } }, // prettier-ignore
    text: '2026-11-27 08:00:00.000Z  kim  refusal role, count: 3\n',
    json: [{ ...activity, kind: 'refusal', name: 'role', claimedActor: null, target: null, outcome: null, count: 3 }],
  },
  {
    words: 'gates hold sim-a --reason x --actor kim',
    asks: { 'POST /gates/sim-a/hold {"reason":"x","actor":"kim"}': { isHeld: true, isChanged: true } },
    text: 'gate sim-a is held, and gets no new orders: in every process within 5 s\n',
    json: [{ gate: 'sim-a', isHeld: true, isChanged: true }],
  },
  {
    words: 'endpoints release 1001 --reason x --actor kim',
    asks: { 'POST /endpoints/1001/hold/release {"reason":"x","actor":"kim"}': { isHeld: false, isChanged: false } },
    text: 'endpoint 1001 was not held, so nothing changed\n',
    json: [{ endpoint: '1001', isHeld: false, isChanged: false }],
  },
  {
    words: 'configuration check',
    asks: { 'GET /configuration/check': checked },
    text: 'file d-2\n  gates.sim-a.timeoutMs: 1000 becomes 2000\n',
    json: [checked],
  },
  {
    words: 'configuration apply --digest d-2 --reason x --actor kim',
    asks: { 'POST /configuration/apply {"reason":"x","digest":"d-2","actor":"kim"}': { isApplied: true, digest: 'd-2' } },
    text: 'applied d-2; the other processes follow within seconds (orch configuration status)\n',
    json: [{ isApplied: true, digest: 'd-2' }],
  },
  {
    words: 'configuration status',
    asks: { 'GET /configuration/status': status },
    text: `in force d-1\napplied ${AT}: d-2\n  process p-1  kept ${AT}  d-1  another file\n`,
    json: [{ digest: 'd-1', applied: status.applied }, ...status.processes],
  },
  {
    words: 'sessions end jane --reason x --actor kim',
    asks: { 'POST /sessions/jane/ending {"reason":"x","actor":"kim"}': { operator: 'jane', ended: true } },
    text: 'the sessions of jane have ended: in every process within 5 s\n',
    json: [{ operator: 'jane', ended: true }],
  },
  {
    words: `streams unpark ${STREAM} --reason x --actor kim`,
    asks: { [`POST /streams/${STREAM}/unparking {"reason":"x","actor":"kim"}`]: { stream: STREAM, applied: ['order-status'] } },
    text: `${STREAM}: projected again by order-status\n`,
    json: [{ stream: STREAM, applied: ['order-status'] }],
  },
];

const before = { ...process.env };
let folder: string;
let asked: string[];
let answers: Readonly<Record<string, object>>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'orch-verbs-'));
  [asked, answers] = [[], {}];
  for (const name of ['EVENTSTORE_URL', 'READ_MODEL_URL', 'ORCH_OPERATOR_TOKEN_FILE']) delete process.env[name];
  Object.assign(process.env, { DATA_DIR: folder, ORCH_OPERATOR_TOKEN: 'a-token', OPERATOR_HOST: '127.0.0.1', OPERATOR_PORT: '9' });
  jest.spyOn(globalThis, 'fetch').mockImplementation((url, request) => {
    const path = (url as string).replace('http://127.0.0.1:9', '');
    const ask = [request?.method, path, ...(typeof request?.body === 'string' ? [request.body] : [])].join(' ');
    asked.push(ask);
    const answer = answers[ask];
    return Promise.resolve(answer === undefined ? Response.json({ error: `refused: ${path}` }, { status: 400 }) : Response.json(answer));
  });
});
afterEach(() => {
  jest.restoreAllMocks();
  process.env = { ...before };
  rmSync(folder, { recursive: true });
});

const orch = async (words: string) => {
  let [out, problems] = ['', ''];
  const streams = {
    stdout: { isTTY: false, write: (text: string) => Boolean((out += text)) },
    stderr: { write: (text: string) => Boolean((problems += text)) },
  };
  return { code: await runOrch(words.split(' '), streams), out, problems };
};

it.each(VERBS)('orch $words asks the operator port and shows its answer as text and as JSON', async ({ words, asks, text, json }) => {
  answers = asks;
  const shown = await orch(words);
  expect([shown.out, shown.code, asked]).toStrictEqual([text, 0, Object.keys(asks)]);
  const { code, out, problems } = await orch(`--json ${words}`);
  const lines = out.trimEnd().split('\n');
  expect([code, problems]).toStrictEqual([0, '']);
  expect(lines.map((line) => JSON.parse(line) as unknown)).toStrictEqual(json.map((one) => ({ version: 1, ...one })));
});

it.each([
  'refund inv-a',
  'refund inv-a --amount 1,00 --reason x',
  'capture inv-a --reason',
  'void inv-a --amount 1.00 --reason x',
  'deliveries resend --reason x',
  'deliveries --failed --state waiting',
  `deliveries inv-a --failed`,
  'approvals list --state nobody',
  `approvals approve --reason x`,
  `approvals reject ${ID}`,
  'approvals execute',
  'audit operator',
  'gates hold sim-a',
  'endpoints hold --reason x',
  'configuration apply',
  'sessions end jane',
  'streams unpark',
])('orch %s exits with 2 and asks nothing', async (words) => {
  const { code, out, problems } = await orch(words);
  expect([code, out, asked]).toStrictEqual([2, '', []]);
  expect(problems).not.toBe('');
});

it.each(['activity --kind nothing', 'configuration check', 'configuration status'])(
  'orch %s exits with 2 and the message of the port if that refuses the question',
  async (words) => {
    const { code, problems } = await orch(words);
    expect([code, asked.length]).toStrictEqual([2, 1]);
    expect(problems).toMatch(/^refused \(400\): refused: \//);
  },
);

it('orch refund shows the key that repeats the same request if its outcome is unknown', async () => {
  const unknown = Response.json({ error: 'the outcome is unknown' }, { status: 504 });
  jest.mocked(fetch).mockResolvedValueOnce(Response.json(FOUND)).mockResolvedValueOnce(unknown);
  const { code, problems } = await orch('refund inv-a --reason x');
  expect(code).toBe(1);
  expect(problems).toMatch(/^refused \(504\): the outcome is unknown\. To repeat the same request, add --key [0-9a-f-]{36}\n$/);
});
