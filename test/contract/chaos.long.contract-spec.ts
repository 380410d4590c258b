import type { Position } from '@app/event-store';
import { runChaos, type ChaosFindings, type ChaosPlan } from './chaos/chaos-run';
import { realTarget, wireTarget, type ChaosTarget } from './chaos/chaos-target';

/** The long form asks for more events between two kills: `npm run test:chaos`. */
const EVENTS_PER_LIFE = Number(process.env['CHAOS_EVENTS_PER_LIFE'] ?? '300');
const PLAN: ChaosPlan = { writers: 16, kills: 6, eventsPerLife: EVENTS_PER_LIFE, downtimesMs: [50, 400] };
const TIMEOUT_MS = 600_000;

const positionOrder = ({ delivered, comparePositions }: ChaosFindings): boolean =>
  delivered.slice(1).every(({ position }, index) => comparePositions(delivered[index]?.position as Position, position) < 0);

const told = (name: string, findings: ChaosFindings): string =>
  `chaos on ${name}: ${PLAN.writers} writers, ${PLAN.kills} kills; acknowledged ${findings.acknowledged.length}, stored ${findings.stored.length}, ` +
  `distinct ${new Set(findings.stored.map(({ id }) => id)).size}, delivered ${findings.delivered.length}; ` +
  `${findings.unknown} outcomes unknown and ${findings.unavailable} refusals, all settled; ${findings.drops} subscriptions dropped; ` +
  `away for ${findings.awayMs.join(', ')} ms; first acknowledged ${findings.firstAcknowledgedMs.join(', ')} ms after it answered again`;

const prove = (name: string, findings: ChaosFindings): void => {
  process.stdout.write(`\n${told(name, findings)}\n`);
  const { acknowledged, stored, delivered } = findings;
  const ids = stored.map(({ id }) => id as string);
  expect(acknowledged.length).toBeGreaterThanOrEqual((PLAN.kills + 1) * PLAN.eventsPerLife);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toStrictEqual(acknowledged.toSorted());
  expect(delivered.map(({ id }) => id as string).toSorted()).toStrictEqual(acknowledged.toSorted());
  expect(positionOrder(findings)).toBe(true);
  const next = new Map<string, bigint>();
  for (const { stream, revision } of delivered) {
    expect(revision).toBe(next.get(stream) ?? 0n);
    next.set(stream, revision + 1n);
  }
};

describe('repeated server kills', () => {
  const withTarget = async (target: ChaosTarget): Promise<ChaosFindings> => {
    try {
      const findings = await runChaos(target, PLAN);
      prove(target.name, findings);
      return findings;
    } finally {
      await target.dispose();
    }
  };

  it(
    'lose and duplicate no acknowledged event, and deliver each once in order: wire server',
    async () => {
      const { drops } = await withTarget(await wireTarget());
      expect(drops).toBeGreaterThanOrEqual(PLAN.kills);
    },
    TIMEOUT_MS,
  );

  const real = realTarget(process.env);
  if (real === undefined) {
    it('NOT RUN ON A REAL NODE: set ESDB_URL, ESDB_KILL_COMMAND and ESDB_START_COMMAND', () => {
      expect(realTarget({ ESDB_URL: 'esdb://there' })).toBeUndefined();
    });
  } else {
    it(`lose and duplicate no acknowledged event, and deliver each once in order: ${real.name}`, () => withTarget(real), TIMEOUT_MS);
  }
});
