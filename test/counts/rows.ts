import { join } from 'node:path';
import type { CountedRow, Portion, PortionCommand } from './row';

const ROOT = join(__dirname, '../..');
const JEST = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
const NOTHING = {} as const;

/** One spec, told by its variables how much and from where. */
const spec = (project: string, pattern: string, environment: Readonly<Record<string, string>>): PortionCommand => ({
  program: process.execPath,
  parameters: [JEST, '--selectProjects', project, '--testPathPatterns', pattern],
  environment,
});

const worlds = ({ first, size, seed }: Portion, ...more: readonly string[]): PortionCommand => ({
  program: process.execPath,
  parameters: ['test/simulation/tool/run.mjs', '--seeds', `${size}`, '--from', `${seed + first}`, '--json', ...more],
  environment: NOTHING,
});

/** Another seed for each portion, so that no two try the same. */
const ownSeed = ({ first, seed }: Portion): string => `${seed + first}`;

export const ROWS: readonly CountedRow[] = [
  {
    name: 'worlds',
    id: 'B1',
    unit: 'worlds',
    count: 10_000,
    portionSize: 250,
    needsBuild: false,
    command: (portion) => worlds(portion),
  },
  {
    name: 'determinism',
    id: 'B3',
    unit: 'pairs of worlds',
    count: 500,
    portionSize: 50,
    needsBuild: false,
    command: (portion) => worlds(portion, '--twice'),
  },
  {
    name: 'kills',
    id: 'B5',
    unit: 'kills',
    count: 500,
    portionSize: 50,
    needsBuild: true,
    command: (portion) =>
      spec('e2e', 'crash-random-kills.long', { CRASH_KILLS: `${portion.size}`, CRASH_STARTS: '10', CRASH_SEED: ownSeed(portion) }),
  },
  {
    name: 'tier-kills',
    id: 'B5',
    unit: 'kills of either of two tiers',
    count: 200,
    portionSize: 20,
    needsBuild: true,
    command: (portion) => spec('e2e', 'two-tiers-kills.long', { TIER_KILLS: `${portion.size}`, CRASH_SEED: ownSeed(portion) }),
  },
  {
    name: 'power-cuts',
    id: 'B6',
    unit: 'power cuts',
    count: 200,
    portionSize: 20,
    needsBuild: true,
    command: (portion) => spec('e2e', 'crash-power.long', { POWER_CUTS: `${portion.size}`, CRASH_SEED: ownSeed(portion) }),
  },
  {
    name: 'bursts',
    id: 'B9',
    unit: 'bursts',
    count: 10_000,
    portionSize: 1_000,
    needsBuild: true,
    // Without a seed: what differs between two bursts is how the machine interleaves them.
    command: (portion) => spec('e2e', 'orders/idempotency.e2e', { BURSTS: `${portion.size}` }),
  },
  {
    name: 'fuzz',
    id: 'B12',
    unit: 'requests to each program',
    count: 1_000_000,
    // Shorter ones end before the heap has its size.
    portionSize: 100_000,
    needsBuild: true,
    command: ({ first, size, seed }) =>
      spec('e2e', 'fuzz.long', { FUZZ_REQUESTS: `${size}`, FUZZ_FIRST: `${first + 1}`, FUZZ_SEED: `${seed}` }),
  },
  {
    name: 'canaries',
    id: 'B13',
    unit: 'canaries',
    count: 100_000,
    // What is scanned and what is looked for both grow with it: a portion of 5,000 takes fifteen times as long.
    portionSize: 1_000,
    needsBuild: true,
    command: (portion) => spec('e2e', 'crash/canary.long', { CANARY_COUNT: `${portion.size}`, CRASH_SEED: ownSeed(portion) }),
  },
  {
    name: 'hostile-addresses',
    id: 'B15',
    unit: 'addresses',
    count: 10_000,
    portionSize: 1_000,
    needsBuild: false,
    command: (portion) => spec('unit', 'hostile-addresses', { HOSTILE_ADDRESSES: `${portion.size}`, HOSTILE_SEED: ownSeed(portion) }),
  },
  {
    name: 'suite',
    id: 'B21',
    unit: 'whole runs of the tests',
    count: 20,
    portionSize: 1,
    needsBuild: true,
    command: ({ first, seed }) => ({ program: process.execPath, parameters: [JEST, '--seed', `${seed + first}`], environment: NOTHING }),
  },
];
