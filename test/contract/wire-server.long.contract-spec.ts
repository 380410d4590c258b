import { observedCases, type ObservedCase } from '@app/event-store/testing';
import { CasePlayer } from './wire-server/case-player';
import { clientPlays } from './wire-server/client.plays';
import { clusterPlays } from './wire-server/cluster.plays';
import { expectedOutcome, rpcsOf } from './wire-server/expected';
import { LEFT_OUT, PARTLY } from './wire-server/left-out';
import { limitPlays } from './wire-server/limit.plays';
import { logPlays } from './wire-server/log.plays';
import type { Plays } from './wire-server/play';
import { serverLifePlays } from './wire-server/server-life.plays';
import { slowConsumerPlays } from './wire-server/slow-consumer.plays';
import { subscriptionPlays } from './wire-server/subscription.plays';
import { World, type Rpc } from './wire-server/world';

/** Some play tens of thousands of events, on a busy machine. */
const LIMIT_MS = 120_000;
/** Replayed and skipped cases, so that a case dropped from the file is noticed. */
const OBSERVED_CASES = 347;

const world = new World();
afterEach(() => world.end());

const plays: Plays = {
  ...logPlays,
  ...subscriptionPlays,
  ...slowConsumerPlays,
  ...clusterPlays,
  ...limitPlays,
  ...serverLifePlays,
  ...clientPlays,
};
const leftOut = Object.values(LEFT_OUT).flat();
const cases = observedCases();
const played = cases.filter(({ id }) => id in plays);
const stepwise = cases.filter(({ id }) => !(id in plays) && !leftOut.includes(id));

describe('the wire server, as observed on EventStoreDB', () => {
  const runs = stepwise.flatMap((observed) => rpcsOf(observed).map((rpc): [string, Rpc, ObservedCase] => [observed.id, rpc, observed]));

  it.each(runs)(
    '%s (%s)',
    async (_, rpc, observed) => {
      const player = await CasePlayer.begin(world, observed, rpc);
      await expect(player.play()).resolves.toStrictEqual(expectedOutcome(observed, rpc));
    },
    LIMIT_MS,
  );

  it.each(played.map((observed) => [observed.id, observed] as const))(
    '%s',
    async (id, observed) => {
      await plays[id]?.(world, observed);
      expect.hasAssertions();
    },
    LIMIT_MS,
  );

  it(`replays ${stepwise.length + played.length} of ${cases.length} cases and gives a reason for every other case`, () => {
    expect(cases).toHaveLength(OBSERVED_CASES);
    expect(stepwise.length + Object.keys(plays).length + leftOut.length).toBe(OBSERVED_CASES);
    expect(new Set([...stepwise.map(({ id }) => id), ...Object.keys(plays), ...leftOut]).size).toBe(OBSERVED_CASES);
  });

  it.each(Object.entries(LEFT_OUT).map(([reason, ids]) => [ids.length, reason, ids] as const))('skips %i cases: %s', (_, reason, ids) => {
    expect(reason).not.toBe('');
    expect(ids.filter((id) => !cases.some((observed) => observed.id === id))).toStrictEqual([]);
  });

  it.each(Object.entries(PARTLY))('replays %s except: %s', (id) => {
    expect([...stepwise, ...played].map((observed) => observed.id)).toContain(id);
  });
});
