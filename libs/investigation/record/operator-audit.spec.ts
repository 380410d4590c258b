import { join } from 'node:path';
import { assertChained, hashOf, metadataOf, StoreUnavailable, type EventStore, type Last, type StoredEvent } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { goldenSpec } from '@app/event-store/testing';
import { systemIds, type Instant } from '@app/kernel';
import { settle, VirtualClock } from '@app/testing';
import { OperatorAudit, REFUSAL_WINDOW_MS } from './operator-audit';
import { operatorAuditCodec, operatorStream } from './operator-audit.events';

goldenSpec(operatorAuditCodec, join(__dirname, 'golden/operator'));

const KIM = { actor: 'operator:kim', claimedActor: 'jane' };
const ACTION = { action: 'settle-unknown', role: 'operator', target: 'potjk0knd68sdvnr' } as const;

const world = () => {
  const clock = new VirtualClock();
  const log = new MemoryEventStore(clock);
  const faults = { isAway: false };
  const store: EventStore = {
    append: async (stream, expected, events) => {
      if (faults.isAway) throw new StoreUnavailable('away');
      return log.append(stream, expected, events);
    },
    read: (stream, from) => log.read(stream, from),
    subscribe: (categories, after) => log.subscribe(categories, after),
    head: () => log.head(),
    comparePositions: (a, b) => log.comparePositions(a, b),
    close: () => log.close(),
  };
  const unwritten: unknown[] = [];
  const counted: string[] = [];
  const audit = new OperatorAudit({
    store,
    clock,
    ids: systemIds,
    scheduler: clock,
    bootId: 'boot',
    onUnwritten: (error) => unwritten.push(error),
    listener: {
      acted: (action) => counted.push(action),
      revealed: () => counted.push('reveal'),
      refused: (cause) => counted.push(`refused ${cause}`),
    },
  });
  const stored = async (): Promise<readonly StoredEvent[]> => {
    await settle();
    const events: StoredEvent[] = [];
    let last: Last = 'no_stream';
    for await (const event of log.read(operatorStream('boot'))) {
      assertChained(event, last);
      last = { revision: event.revision, hash: hashOf(event) };
      events.push(event);
    }
    return events;
  };
  const recorded = async () => (await stored()).map((event) => [metadataOf(event).actor, operatorAuditCodec.decode(event)] as const);
  return { clock, audit, faults, stored, recorded, unwritten, counted, append: log.append.bind(log) };
};

it('OperatorAudit counts each recorded action and each refusal, but no action that could not be recorded', async () => {
  const { audit, faults, counted } = world();
  await audit.begin(KIM, ACTION);
  audit.refused('credentials');
  audit.refused('credentials');
  faults.isAway = true;
  await expect(audit.begin(KIM, ACTION)).rejects.toThrow('the action was not recorded');
  expect(counted).toStrictEqual(['settle-unknown', 'refused credentials', 'refused credentials']);
});

describe('operator action in OperatorAudit', () => {
  it('is refused if another process appended to its stream, and is recorded on the next attempt', async () => {
    const { audit, stored, append } = world();
    await audit.begin(KIM, ACTION);
    const [first] = await stored();
    if (first === undefined) throw new Error('nothing is on record');
    const last = { revision: first.revision, hash: hashOf(first) };
    const envelope = {
      correlation: 'other',
      causation: 'other',
      actor: 'other',
      merchant: '',
      commandId: 'other',
      recordedAt: 0 as Instant,
    };
    const ended = operatorAuditCodec.encode([operatorAuditCodec.decode(first)], first.stream, last, envelope);
    await append(first.stream, first.revision, ended);
    await expect(audit.begin(KIM, ACTION)).rejects.toThrow(
      new StoreUnavailable(`the action was not recorded: ${first.stream}: another writes to it`),
    );
    await audit.begin(KIM, ACTION);
    expect(await stored()).toHaveLength(3);
  });

  it('is recorded before it is done, with its result, the operator and the claimed actor', async () => {
    const { clock, audit, stored } = world();
    const begunAt = clock.now();
    const actionId = await audit.begin(KIM, ACTION);
    await clock.advance(40);
    await audit.end(KIM, actionId, 'done');
    const events = await stored();
    expect(events.map((event) => operatorAuditCodec.decode(event))).toStrictEqual([
      { type: 'OperatorActionBegun', data: { actionId, ...ACTION, begunAt } },
      { type: 'OperatorActionEnded', data: { actionId, outcome: 'done', endedAt: begunAt + 40 } },
    ]);
    for (const event of events) expect(metadataOf(event)).toMatchObject({ ...KIM, correlation: actionId, merchant: '' });
  });

  it('does not begin if it cannot be recorded', async () => {
    const { audit, faults, stored } = world();
    faults.isAway = true;
    await expect(audit.begin(KIM, ACTION)).rejects.toThrow(StoreUnavailable);
    faults.isAway = false;
    await audit.begin(KIM, ACTION);
    expect(await stored()).toHaveLength(1);
  });

  it('remains done if the store is unavailable when it ends', async () => {
    const { audit, faults, unwritten } = world();
    const actionId = await audit.begin(KIM, ACTION);
    faults.isAway = true;
    await expect(audit.end(KIM, actionId, 'done')).resolves.toBeUndefined();
    expect(unwritten).toHaveLength(1);
  });
});

describe('operator query in OperatorAudit', () => {
  const QUESTION = {
    query: 'list-orders',
    role: 'investigator',
    filters: ['merchant'],
    digest: 'a'.repeat(64),
    format: 'json',
    rows: 3,
  } as const;

  it('is recorded with its filters and its number of rows', async () => {
    const { clock, audit, stored } = world();
    await audit.answered(KIM, QUESTION);
    const [event] = await stored();
    if (event === undefined) throw new Error('nothing is on record');
    const { correlation } = metadataOf(event);
    const data = { queryId: correlation, ...QUESTION, answeredAt: clock.now() };
    expect(operatorAuditCodec.decode(event)).toStrictEqual({ type: 'OperatorQueryAnswered', data });
    expect(metadataOf(event)).toMatchObject(KIM);
  });

  it('is refused if it cannot be recorded', async () => {
    const { audit, faults, stored } = world();
    faults.isAway = true;
    await expect(audit.answered(KIM, QUESTION)).rejects.toThrow(new StoreUnavailable('the query was not recorded: away'));
    expect(await stored()).toStrictEqual([]);
  });
});

describe('refused operator requests', () => {
  it('are recorded in a flood as one event at once and one per minute with the count', async () => {
    const { clock, audit, recorded } = world();
    const firstAt = clock.now();
    for (let count = 0; count < 10_000; count++) audit.refused('credentials');
    expect(await recorded()).toStrictEqual([
      ['unauthenticated', { type: 'OperatorRequestsRefused', data: { cause: 'credentials', count: 1, firstAt, lastAt: firstAt } }],
    ]);
    await clock.advance(REFUSAL_WINDOW_MS);
    expect((await recorded())[1]?.[1].data).toStrictEqual({ cause: 'credentials', count: 9_999, firstAt, lastAt: firstAt });
    await clock.advance(10 * REFUSAL_WINDOW_MS);
    expect(await recorded()).toHaveLength(2);
    expect(clock.pending).toBe(0);
    audit.refused('credentials');
    expect(await recorded()).toHaveLength(3);
  });

  it('are counted by cause, and by operator up to a maximum number of operators', async () => {
    const { audit, recorded } = world();
    for (let operator = 0; operator < 1_000; operator++) audit.refused('role', { actor: `operator:o${operator}` });
    audit.refused('host');
    const events = await recorded();
    expect(events.length).toBeLessThan(70);
    expect(events.filter(([actor]) => actor === 'unauthenticated').map(([, { data }]) => data)).toMatchObject([
      { cause: 'role' },
      { cause: 'host' },
    ]);
    await audit.stop();
    const counts = (await recorded()).map(([, { data }]) => ('count' in data ? data.count : 0));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1_001);
  });

  it('are recorded with later refusals if the store was unavailable, at the latest when the process stops', async () => {
    const { clock, audit, faults, recorded, unwritten } = world();
    faults.isAway = true;
    const firstAt = clock.now();
    audit.refused('browser-page');
    await settle();
    expect(unwritten).toHaveLength(1);
    await clock.advance(REFUSAL_WINDOW_MS - 1);
    audit.refused('browser-page');
    faults.isAway = false;
    await audit.stop();
    const lastAt = clock.now();
    expect((await recorded()).map(([, { data }]) => data)).toStrictEqual([{ cause: 'browser-page', count: 2, firstAt, lastAt }]);
  });
});
