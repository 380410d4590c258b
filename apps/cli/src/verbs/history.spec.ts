import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { EmbeddedEventStore } from '@app/event-store/stores/embedded';
import { hashOf, type Last } from '@app/event-store';
import { deliveryCodec, deliveryStream } from '@app/callbacks';
import { addMs, systemScheduler, type Instant, type MerchantLogin, type NonEmpty, type OrderId } from '@app/kernel';
import { paymentCodec, paymentStream } from '@app/payment';
import type { PaymentEvent } from '@app/payment/events';
import { attemptEvents, finalEvents, sampleOrder, sampleReceipt, VirtualClock } from '@app/testing';
import { runOrch } from '../program';

jest.setTimeout(60_000);

const NOON = 1_777_809_600_000 as Instant;
const after = (seconds: number): Instant => addMs(NOON, seconds * 1_000);
const order = sampleOrder({ orderId: 'p0sample0order1r' as OrderId, acceptedAt: NOON });
const stream = paymentStream('acme' as MerchantLogin, order.clientOrderId);
const ORDER = order.orderId;

/** Unknown from 12:00:30; reported at 12:30 as approved at 12:00:10. */
const APPENDS: readonly (readonly [Instant, NonEmpty<PaymentEvent>])[] = [
  [NOON, [{ type: 'OrderAccepted', data: order }]],
  [after(1), [attemptEvents.started()]],
  [after(30), [attemptEvents.unknown()]],
  [after(1_800), [attemptEvents.approved({ receipt: sampleReceipt({ processedAt: after(10) }) }), finalEvents.approved()]],
];

let folder: string;
let log: EmbeddedEventStore;
const before = { ...process.env };

const write = async (): Promise<string> => {
  let last: Last = 'no_stream';
  let causation = 'serial-1';
  for (const [recordedAt, events] of APPENDS) {
    const envelope = {
      correlation: 'serial-1',
      causation,
      actor: 'orchestrator',
      merchant: 'acme',
      commandId: `c${recordedAt}`,
      recordedAt,
    };
    const expected = last === 'no_stream' ? last : last.revision;
    const encoded = paymentCodec.encode(events, stream, last, envelope);
    await log.append(stream, expected, encoded);
    last = await lastOf();
    causation = encoded.at(-1)?.id ?? causation;
  }
  return causation;
};

const lastOf = async (): Promise<Exclude<Last, 'no_stream'>> => {
  let last: Exclude<Last, 'no_stream'> | undefined;
  for await (const stored of log.read(stream)) last = { revision: stored.revision, hash: hashOf(stored) };
  if (last === undefined) throw new Error('nothing was written');
  return last;
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'orch-history-'));
  log = await EmbeddedEventStore.open({ path: join(folder, 'events.sqlite'), clock: new VirtualClock(), scheduler: systemScheduler });
  const factId = (await write()) as never;
  const delivered = { factId, target: 'callback', orderStream: stream, tries: 1, status: 200, deliveredAt: after(1_801) } as const;
  const envelope = {
    correlation: 's',
    causation: factId,
    actor: 'orchestrator',
    merchant: 'acme',
    commandId: 'd',
    recordedAt: after(1_801),
  };
  const to = deliveryStream(factId, 'callback');
  await log.append(to, 'no_stream', deliveryCodec.encode([{ type: 'CallbackDelivered', data: delivered }], to, 'no_stream', envelope));
  for (const name of ['NODE_ENV', 'EVENTSTORE_URL', 'READ_MODEL_URL', 'VAULT_URL', 'ROLES']) delete process.env[name];
  Object.assign(process.env, { DATA_DIR: folder, ORCH_CONFIG: resolve(__dirname, '../../../../config/sandbox.yaml') });
});
afterAll(async () => {
  process.env = before;
  await log.close();
  rmSync(folder, { recursive: true });
});

const orch = async (...words: readonly string[]) => {
  let [out, problems] = ['', ''];
  const streams = {
    stdout: { isTTY: false, write: (text: string) => Boolean((out += text)) },
    stderr: { write: (text: string) => Boolean((problems += text)) },
  };
  const code = await runOrch(words, streams);
  return { code, out, problems, lines: out.trim().split('\n') };
};
const dataOf = async (...words: readonly string[]): Promise<readonly Record<string, unknown>[]> => {
  const { code, lines, problems } = await orch('--json', ...words);
  expect({ code, problems }).toStrictEqual({ code: 0, problems: '' });
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
};

describe('orch show at a point in time', () => {
  it.each([
    [['--at-version', '1'], 'processing', 2, 2],
    [['--at-version', '4'], 'approved', 5, 5],
    [['--known-at', '2026-05-03T12:05Z'], 'unknown', 3, 3],
    [['--known-at', '2026-05-03T14:30:00+02:00'], 'approved', 5, 5],
    [['--known-at', '2026-05-03T13:00Z'], 'approved', 5, 6],
    [['--true-at', '2026-05-03T12:00:10Z'], 'approved', 4, 4],
    [['--true-at', '2026-05-03T12:00:09.999Z'], 'processing', 2, 2],
  ])('%j returns status %s from %i events and lists %i events', async (moment, status, events, told) => {
    const [shown] = await dataOf('show', ORDER, ...moment);
    expect(shown).toMatchObject({ status, asOf: { events, eventsNow: 5 }, state: { status, orderId: ORDER } });
    expect(shown?.['events']).toHaveLength(told);
    expect(JSON.stringify(shown)).not.toContain(order.customer);
  });

  it('prints the selected time and omits later events', async () => {
    const { lines } = await orch('show', ORDER, '--known-at', '2026-05-03T12:05Z');
    expect(lines.slice(1, 3)).toStrictEqual([
      `10.42 USD, unknown (sale_unknown), stream ${stream}`,
      'recorded state at 2026-05-03 12:05:00.000Z: 3 of its 5 events',
    ]);
    expect(lines).toHaveLength(3 + 1 + 3);
  });

  it.each([
    ['--at-version', '5', 3, 'the order has no revision 5: its last is 4'],
    ['--known-at', '2026-05-03T11:59:59.999Z', 3, 'the order did not exist yet: it was accepted at 2026-05-03T12:00:00.000Z'],
    ['--at-version', '-1', 2, '--at-version must be a revision'],
    ['--at-version', '1.5', 2, '--at-version must be a revision'],
    ['--known-at', '2026-05-03', 2, '--known-at must be a time with Z or an offset'],
    ['--true-at', '2026-02-30T12:00Z', 2, '--true-at must be a time with Z or an offset'],
  ])('%s %s exits with %i', async (option, text, code, problem) => {
    const shown = await orch('show', ORDER, `${option}=${text}`);
    expect(shown).toMatchObject({ code, out: '' });
    expect(shown.problems).toContain(problem);
  });

  it.each([
    ['--at-version', '1', '--known-at', '2026-05-03T12:05Z'],
    ['--known-at', '2026-05-03T12:05Z', '--true-at', '2026-05-03T12:05Z'],
    ['--true-at', '2026-05-03T12:05Z', '--follow-upstream', '.'],
  ])('%s %s cannot be combined with %s', async (...options) => {
    await expect(orch('show', ORDER, ...options)).resolves.toMatchObject({ code: 2, out: '' });
  });
});

describe('orch diff', () => {
  it('lists each changed field and the event that changed it', async () => {
    const differences = await dataOf('diff', ORDER, '--from', '2', '--to', '2026-05-03T12:30Z');
    expect(differences.map(({ field, event }) => [field, (event as { type: string }).type])).toEqual(
      expect.arrayContaining([
        ['status', 'OrderApproved'],
        ['approvalCode', 'AttemptApproved'],
      ]),
    );
  });

  it('compares by the clocks of the gates with --true', async () => {
    const { lines } = await orch('diff', ORDER, '--from', '2026-05-03T12:00:09Z', '--to', '2026-05-03T12:00:10Z', '--true');
    expect(lines[0]).toBe(
      'from state by the gates’ clocks at 2026-05-03 12:00:09.000Z to state by the gates’ clocks at 2026-05-03 12:00:10.000Z: 9 fields differ',
    );
    expect(lines[1]).toBe(
      'AttemptApproved (revision 3) at 2026-05-03 12:30:00.000Z by our clock, so since 2026-05-03 12:00:10.000Z by the gate’s clock, by orchestrator',
    );
    expect(lines[2]).toMatch(/^ {2}transactionId +- → PNTEST-1$/);
  });

  it.each([
    [['--from', '3', '--to', '2'], 2, '--from must not be later than --to'],
    [['--from', '2026-05-03T12:00:04Z', '--to', '2026-05-03T12:00:03Z'], 2, '--from must not be later than --to'],
    [['--from', 'x', '--to', '2'], 2, '--from must be a revision'],
    [['--from', '1', '--to', '9'], 3, 'no revision 9'],
    [['--from', '1'], 2, '--to'],
  ])('%j exits with %i', async (options, code, problem) => {
    const { code: ended, problems } = await orch('diff', ORDER, ...options);
    expect(ended).toBe(code);
    expect(problems).toContain(problem);
  });

  it('prints an empty list for two equal revisions', async () => {
    await expect(orch('--json', 'diff', ORDER, '--from', '2', '--to', '2')).resolves.toMatchObject({ code: 0, out: '[]\n' });
  });
});

describe('orch why', () => {
  it('prints the event, its actor and its causes', async () => {
    const { lines } = await orch('why', ORDER, 'status');
    expect(lines).toStrictEqual([
      'status is approved, was processing',
      'by OrderApproved (revision 4) at 2026-05-03 12:30:00.000Z by our clock, so since 2026-05-03 12:00:10.000Z by the gate’s clock, by orchestrator',
      '  because of AttemptUnknown (revision 2) at 2026-05-03 12:00:30.000Z by our clock, by orchestrator',
      '  because of AttemptStarted (revision 1) at 2026-05-03 12:00:01.000Z by our clock, by orchestrator',
      '  because of OrderAccepted (revision 0) at 2026-05-03 12:00:00.000Z by our clock, by orchestrator',
      '  because of request serial-1',
    ]);
  });

  it('prints the values at a revision with --json', async () => {
    const [why] = await dataOf('why', ORDER, 'status', '--at-version', '2');
    expect(why).toMatchObject({ values: { status: 'unknown' }, before: { status: 'processing' }, event: { type: 'AttemptUnknown' } });
  });

  it('lists the known fields if the field does not exist', async () => {
    const { code, problems } = await orch('why', ORDER, 'colour');
    expect(code).toBe(2);
    expect(problems).toContain('no field "colour"; there are orderId, merchant, clientOrderId, kind,');
  });
});

describe('orch replay', () => {
  it('prints one JSON object per event, with the state after it', async () => {
    const steps = await dataOf('replay', ORDER);
    expect(steps.map(({ event, state }) => [(event as { type: string }).type, (state as { status: string }).status])).toStrictEqual([
      ['OrderAccepted', 'processing'],
      ['AttemptStarted', 'processing'],
      ['AttemptUnknown', 'unknown'],
      ['AttemptApproved', 'processing'],
      ['OrderApproved', 'approved'],
    ]);
  });

  it('prints the fields that each event changed', async () => {
    const { lines } = await orch('replay', ORDER);
    expect(lines.slice(-7).map((line) => line.replace(/ +/g, ' '))).toStrictEqual([
      expect.stringContaining('OrderApproved (revision 4)'),
      ' status processing → approved',
      ' stage sale_processing → sale_approved',
      expect.stringMatching(/^ receiptId - → /),
      expect.stringMatching(/^ finalAt - → /),
      ' callbacks[0] - → callback',
      ' = 10.42 USD, approved (sale_approved)',
    ]);
  });

  it('exits with 3 if the order does not exist', async () => {
    await expect(orch('--json', 'replay', 'nothing')).resolves.toMatchObject({ code: 3, out: '[]\n' });
  });
});
