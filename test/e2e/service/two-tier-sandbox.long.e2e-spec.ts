import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orch, startOrch, type OrchEnded } from '../../support/processes/orch';
import { runPrintedLines } from '../../support/processes/printed-lines';
import { until } from '../../support/until';

const CARD_NUMBERS = ['4444333322221111', '5555444433331111'];
const TOUR_TIMEOUT_MS = 240_000;

type Line = { readonly kind: string } & Readonly<Record<string, unknown>>;
const linesOf = (out: string): readonly Line[] =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

const folder = mkdtempSync(join(tmpdir(), 'two-tier-sandbox-'));
afterAll(() => rmSync(folder, { recursive: true }));

const anyPorts = { PORT: '0', OPERATOR_PORT: '0', MERCHANT_PORT: '0', CALLBACK_PORT: '0' };
const stepsOf = (lines: readonly Line[]): unknown[] => lines.filter(({ kind }) => kind === 'step').map(({ title }) => title);

describe('the tour through two tiers', () => {
  const DATA_DIR = join(folder, 'tour');
  let ended: OrchEnded;
  let lines: readonly Line[];
  beforeAll(async () => {
    ended = await orch(['--json', 'sandbox', '--upstream', '--once'], { ...anyPorts, DATA_DIR });
    lines = linesOf(ended.out);
  }, TOUR_TIMEOUT_MS);

  it('ends as documented, with exit code 0', () => {
    const claims = lines.filter(({ kind }) => kind === 'claim');
    expect(ended).toMatchObject({ code: 0, problems: '' });
    expect(claims.filter(({ holds }) => holds !== true)).toStrictEqual([]);
    expect(stepsOf(lines)).toStrictEqual([
      'Initial payment',
      'Merchant callback',
      'A declined payment',
      '3-D Secure',
      'An outcome that stays open',
      'Card registration',
      'Recurrent payment',
      'Preauth and capture',
      'Return',
      'Void',
      'Account verification',
      'A device verifies a card',
      'A device buys',
      'Money from card to card',
      'What both logs hold',
    ]);
    const joined = claims.filter(({ text }) => String(text).startsWith('the upstream gateway has it as its order '));
    expect(joined).toHaveLength(12);
  });

  it('prints each order with the events of both logs, joined by the attempt key', () => {
    const orders = lines.filter(({ kind }) => kind === 'order');
    expect(orders).toHaveLength(7);
    for (const { stream, status, events, upstream } of orders) {
      const merchant = String(stream).startsWith('transfer-') ? 'tier-a-fees' : 'tier-a';
      const key = (events as readonly { readonly type: string; readonly data: { readonly attemptKey?: string } }[]).find(
        ({ type }) => type === 'AttemptStarted',
      )?.data.attemptKey;
      expect(upstream).toMatchObject([{ clientOrderId: key, order: { merchant, clientOrderId: key, status } }]);
    }
  });

  it('prints and logs no card number at either tier or the merchant server', () => {
    const logs = [DATA_DIR, join(DATA_DIR, 'upstream'), join(DATA_DIR, 'merchant-server')].map((at) =>
      readFileSync(join(at, 'service.log'), 'utf8'),
    );
    for (const text of [ended.out, ...logs]) for (const number of CARD_NUMBERS) expect(text).not.toContain(number);
  });
});

it(
  'a tour whose upstream gateway exits ends with code 1 and names the tier',
  async () => {
    const ended = await orch(['sandbox', '--upstream', '--once'], { ...anyPorts, DATA_DIR: join(folder, 'dies'), FAILPOINT: 'P5' });
    expect(ended.code).toBe(1);
    expect(ended.problems).toMatch(/tier (A \(the service\)|B \(the upstream gateway\)) ended with code 137; its log is /);
  },
  TOUR_TIMEOUT_MS,
);

it(
  'a tour that keeps running prints commands that work unchanged',
  async () => {
    const environment = { ...anyPorts, DATA_DIR: join(folder, 'stays-up') };
    const { ran, ended } = await runPrintedLines(['sandbox', '--upstream'], environment, { last: 'tail -F', timeoutMs: TOUR_TIMEOUT_MS });
    expect(ran).toHaveLength(8);
    expect(ran.filter(({ stdout }) => stdout.trim() === '')).toStrictEqual([]);
    expect(ended.code).toBe(0);
  },
  TOUR_TIMEOUT_MS,
);

it(
  'an interrupted tour stops both tiers and ends with code 130',
  async () => {
    const DATA_DIR = join(folder, 'interrupted');
    const { child, ended } = startOrch(['--json', 'sandbox', '--upstream'], { ...anyPorts, DATA_DIR });
    let out = '';
    child.stdout?.on('data', (text: string) => (out += text));
    await until(() => out.includes('"kind":"step"'), { what: 'the first step', timeoutMs: TOUR_TIMEOUT_MS, seen: () => out });
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    const ports = linesOf(out).flatMap(({ text }) => /^Tier [AB].* listens on (\S+);/.exec(String(text))?.[1] ?? []);
    expect(ports).toHaveLength(2);
    for (const url of ports) await expect(fetch(`${url}/health/ready`)).rejects.toThrow('fetch failed');
  },
  TOUR_TIMEOUT_MS,
);
