import type { Operator } from '@app/configuration';
import type { EventStore } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { addMs, type Instant, type MerchantLogin } from '@app/kernel';
import { seededIds, settle, VirtualClock } from '@app/testing';
import { MemoryFiles } from '../log-proofs/testing/memory-files';
import { actingAlone } from './operator-access';
import { accountsWith, DecidedHistory, rulesFile, writeDecided, type InquiredOrder } from '../testing/decided-history';
import { readOnly } from '../testing/read-only';
import { basisOf, hasRulesOf, WhatIfs, type WhatIfJson } from './what-ifs';

const SECTIONS = { gates: ['sim-a', 'sim-b'] };
const ORDERS = 12;
/** All but the first two orders are above this limit. */
const RULES = rulesFile({ screening: { maxAmount: '10.01' } });
const ANN: Operator = { name: 'ann', role: 'investigator', tokenSha256: '' };
const limitedTo = (...merchants: readonly string[]): Operator => ({ ...ANN, merchants: merchants as readonly MerchantLogin[] });

const order = (number: number): InquiredOrder => ({
  minor: BigInt(1_000 + number),
  card: number,
  bin: '444433',
  brand: 'VISA',
  issuerCountry: 'USA',
  customerCountry: 'USA',
  ip: '192.0.2.1',
  lesser: [],
});

class World {
  readonly clock = new VirtualClock();
  readonly store = new MemoryEventStore(this.clock);
  readonly files = new MemoryFiles();
  readonly actions: string[] = [];
  log: Pick<EventStore, 'subscribe'> = readOnly(this.store);
  readonly #ids = seededIds(1);

  async write(): Promise<this> {
    const history = new DecidedHistory(SECTIONS, { answer: () => 'approved', draw: () => 1 });
    for (let number = 0; number < ORDERS; number += 1) await writeDecided(this.store, history.decide(number, order(number)));
    return this;
  }

  /** As after a start of the service. */
  open(): WhatIfs {
    return new WhatIfs({
      log: this.log,
      files: this.files,
      accounts: accountsWith(SECTIONS),
      clock: this.clock,
      ids: this.#ids,
      audit: {
        begin: async (_by, { action }) => `${this.actions.push(action)}`,
        end: async (_by, _id, outcome) => void this.actions.push(outcome),
      },
    });
  }

  /** A log that yields nothing, as if it were not available. */
  pause(): void {
    this.log = {
      subscribe: () => {
        let cancel: () => void = () => undefined;
        const cancelled = new Promise<void>((resolve) => (cancel = resolve));
        // eslint-disable-next-line require-yield -- it ends without an item
        const items = (async function* (): AsyncGenerator<never, undefined> {
          await cancelled;
          return undefined;
        })();
        return { [Symbol.asyncIterator]: () => items, cancel: async () => cancel() };
      },
    };
  }
}

const started = async (whatIfs: WhatIfs, asked: Partial<Parameters<WhatIfs['start']>[0]> = {}, operator = ANN): Promise<WhatIfJson> => {
  const answer = await whatIfs.start({ rules: RULES, ...asked }, actingAlone(operator));
  if (answer.reason !== 'started') throw new Error(JSON.stringify(answer));
  return answer.whatIf;
};
const ended = async (whatIfs: WhatIfs, { whatIfId }: WhatIfJson, operator = ANN): Promise<WhatIfJson> => {
  for (;;) {
    const now = await whatIfs.find(whatIfId, operator);
    if (now === undefined) throw new Error('unknown');
    if (now.state !== 'running') return now;
    await settle();
  }
};

it('a run keeps its result and the orders that differ, also over a restart', async () => {
  const world = await new World().write();
  const first = world.open();
  const run = await started(first);
  expect(run).toMatchObject({ state: 'running', startedBy: 'ann', result: null, merchants: null });
  const done = await ended(first, run);
  expect(done).toMatchObject({
    state: 'done',
    orders: ORDERS,
    areOrdersCut: false,
    result: { orders: ORDERS, classes: { same: 2, differs: ORDERS - 2 }, rules: [{ by: 'screening max-amount', currency: 'USD' }] },
  });
  const again = world.open();
  expect(await again.list(ANN)).toStrictEqual([done]);
  const pages: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await again.orders(run.whatIfId, ANN, { limit: 4, cursor });
    if ('reason' in page) throw new Error(page.reason);
    pages.push(page.orders.length);
    cursor = page.next;
  } while (cursor !== undefined);
  expect(pages).toStrictEqual([4, 4, 2]);
  expect(world.actions).toStrictEqual(['start-what-if', 'done']);
});

it('a run decides only the orders of its time and merchant', async () => {
  const world = await new World().write();
  const whatIfs = world.open();
  const all = await ended(whatIfs, await started(whatIfs));
  const page = await whatIfs.orders(all.whatIfId, ANN, { limit: 200 });
  expect('orders' in page && page.orders).toHaveLength(ORDERS - 2);
  const noon = 1_777_809_600_000 as Instant;
  const hour = 3_600_000;
  const ofTime = await ended(whatIfs, await started(whatIfs, { from: addMs(noon, hour), before: addMs(noon, 2 * hour) }));
  expect(ofTime.result?.orders).toBe(6);
  const ofNobody = await ended(whatIfs, await started(whatIfs, { merchant: 'nobody' }));
  expect(ofNobody.result?.orders).toBe(0);
});

describe('a second run', () => {
  it('is refused while one runs, also if both are started at once', async () => {
    const world = await new World().write();
    world.pause();
    const whatIfs = world.open();
    const both = await Promise.all([1, 2].map(() => whatIfs.start({ rules: RULES }, actingAlone(ANN))));
    expect(both.map(({ reason }) => reason).sort()).toStrictEqual(['running', 'started']);
    expect(await whatIfs.list(ANN)).toHaveLength(1);
  });

  it('is possible after the first was stopped, which keeps its result so far', async () => {
    const world = await new World().write();
    world.pause();
    const whatIfs = world.open();
    const { whatIfId } = await started(whatIfs);
    expect(await whatIfs.stop(whatIfId, actingAlone(ANN))).toMatchObject({
      reason: 'stopped',
      whatIf: { state: 'stopped', result: { orders: 0 } },
    });
    expect(await whatIfs.stop(whatIfId, actingAlone(ANN))).toStrictEqual({ reason: 'not-running' });
    await started(whatIfs);
    expect(world.actions).toStrictEqual([
      'start-what-if',
      'done',
      'stop-what-if',
      'done',
      'stop-what-if',
      'refused',
      'start-what-if',
      'done',
    ]);
  });
});

it('a run that a kill or the end of the service interrupts says so', async () => {
  const world = await new World().write();
  world.pause();
  const killed = await started(world.open());
  const ending = world.open();
  const other = await started(ending);
  await ending.beforeApplicationShutdown();
  const states = (await world.open().list(ANN)).map(({ whatIfId, state }) => [whatIfId, state]);
  expect(states).toStrictEqual([
    [other.whatIfId, 'interrupted'],
    [killed.whatIfId, 'interrupted'],
  ]);
});

it('a run fails if the log ends its subscription', async () => {
  const world = await new World().write();
  // eslint-disable-next-line require-yield -- it ends without an item
  const none = (async function* (): AsyncGenerator<never, undefined> {
    await settle();
    return undefined;
  })();
  world.log = { subscribe: () => ({ [Symbol.asyncIterator]: () => none, cancel: async () => undefined }) };
  const whatIfs = world.open();
  expect(await ended(whatIfs, await started(whatIfs))).toMatchObject({ state: 'failed', result: null });
});

it('only the newest 20 runs are kept', async () => {
  const world = new World();
  const whatIfs = world.open();
  const runs: WhatIfJson[] = [];
  for (let number = 0; number < 22; number += 1) runs.push(await ended(whatIfs, await started(whatIfs)));
  expect(await whatIfs.list(ANN)).toStrictEqual(runs.slice(2).reverse());
  expect([...world.files.files.keys()].filter((path) => path.includes(runs[0]?.whatIfId ?? 'none'))).toStrictEqual([]);
});

describe('an operator who is limited to merchants', () => {
  it('starts a run over the orders of its merchants, and sees no other run', async () => {
    const world = await new World().write();
    const whatIfs = world.open();
    const all = await ended(whatIfs, await started(whatIfs));
    const own = await ended(whatIfs, await started(whatIfs, {}, limitedTo('acme')), limitedTo('acme'));
    expect([own.merchants, own.result?.orders]).toStrictEqual([['acme'], ORDERS]);
    expect((await whatIfs.list(limitedTo('acme'))).map(({ whatIfId }) => whatIfId)).toStrictEqual([own.whatIfId]);
    for (const { whatIfId } of [all, own]) {
      expect(await whatIfs.find(whatIfId, limitedTo('other'))).toBeUndefined();
      expect(await whatIfs.orders(whatIfId, limitedTo('other'), { limit: 1 })).toStrictEqual({ reason: 'unknown-what-if' });
      expect(await whatIfs.stop(whatIfId, actingAlone(limitedTo('other')))).toStrictEqual({ reason: 'unknown-what-if' });
    }
  });

  it('gets the answer for a missing merchant to rules of another merchant', async () => {
    const whatIfs = new World().open();
    expect(await whatIfs.start({ rules: RULES }, actingAlone(limitedTo('other')))).toStrictEqual({
      reason: 'malformed',
      fault: 'line 1, merchants[0].login: is not a merchant of this configuration',
    });
  });
});

it.each([
  ['no rules', '{}', /merchants/],
  ['an unknown gate', rulesFile({ gates: ['nowhere'] }), /^line 1, merchants\[0\]\.endpoints\[0\]\.gates\[0\]: is not a gate/],
  [
    'faults in several lines',
    'merchants:\n  - login: acme\n    endpoints:\n      - id: "1001"\n        gates: [nowhere]\n      - id: "7"\n',
    /^line 5, merchants\[0\]\.endpoints\[0\]\.gates\[0\]: .*|^line 6, merchants\[0\]\.endpoints\[1\]: must have one of/,
  ],
  ['a variable of the environment', rulesFile({ gates: ['${PATH}'] }), /PATH/],
])('a run is refused for %s, with the place of the fault', async (_, rules, fault) => {
  const world = new World();
  const answer = await world.open().start({ rules }, actingAlone(ANN));
  expect(answer).toMatchObject({ reason: 'malformed', fault: expect.stringMatching(fault) });
  expect(JSON.stringify(answer)).not.toContain(process.env['PATH'] ?? 'no path');
  expect(world.actions).toStrictEqual([]);
});

it.each(['7', '0', 'x', '999999'])('the orders of a run are refused for a cursor of no page (%s)', async (cursor) => {
  const world = await new World().write();
  const whatIfs = world.open();
  const { whatIfId } = await ended(whatIfs, await started(whatIfs));
  expect(await whatIfs.orders(whatIfId, ANN, { limit: 5, cursor })).toStrictEqual({ reason: 'no-such-page' });
});

describe('a what-if as the reason of a change', () => {
  const whatIfOf = async (rules: string): Promise<WhatIfJson> => {
    const whatIfs = (await new World().write()).open();
    return ended(whatIfs, await started(whatIfs, { rules }));
  };
  const now = accountsWith(SECTIONS);
  const limited = accountsWith({ ...SECTIONS, screening: { maxAmount: '10.01' } });

  it('has the rules of a file with exactly its changes', async () => {
    const json = await whatIfOf(RULES);
    expect(hasRulesOf(json, now, limited)).toBe(true);
    expect(hasRulesOf(json, now, now)).toBe(false);
    expect(hasRulesOf(json, now, accountsWith({ ...SECTIONS, screening: { maxAmount: '10.02' } }))).toBe(false);
    expect(hasRulesOf(json, now, accountsWith({ gates: ['sim-b', 'sim-a'], screening: { maxAmount: '10.01' } }))).toBe(false);
    expect(hasRulesOf({ endpoints: null }, now, limited)).toBe(false);
  });

  it('has the rules of a file that removes a section', async () => {
    expect(hasRulesOf(await whatIfOf(rulesFile({ screening: 'none' })), limited, now)).toBe(true);
  });

  it('counts the orders by past and new end', async () => {
    const { totals, digest } = basisOf(await whatIfOf(RULES));
    expect(JSON.parse(totals)).toMatchObject({
      endpoints: [{ merchant: 'acme', endpointId: expect.any(String) }],
      ends: [
        { outcome: 'filtered', gate: null, was: 0, would: ORDERS - 2 },
        { outcome: 'approved', gate: 'sim-a', was: ORDERS, would: 2 },
      ],
    });
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
  });
});
