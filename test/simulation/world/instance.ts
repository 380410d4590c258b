import type { Partition } from '@app/read-models';
import type { MemoryDatabase } from '@app/read-models/testing';
import type { VirtualClock } from '@app/testing';
import type { KeyedChance } from './keyed-chance';
import type { Life } from './life';
import type { Serving } from './network';
import { HEALTHY, type Swarm } from './swarm';

const HOUR_MS = 3_600_000;
/** Clocks differ by less than the margin of a gate's longest flight, as operators are instructed to ensure. */
const CLOCK_ERROR_MS_MAX = 14_000;
const PAUSE_MS_MAX = 45_000;

export type Roles = readonly ('api' | 'worker')[];

export interface Instance {
  readonly name: string;
  readonly program: 'orchestrator' | 'merchant-server';
  readonly roles: Roles;
  readonly partition: Partition;
  starts: number;
  clockErrorMs: number;
  process: Serving | undefined;
  life: Life | undefined;
  database: MemoryDatabase | undefined;
}

/** Ids that repeat with the seed, whatever other processes draw. */
export const idsOf = (chance: KeyedChance, name: string) => {
  const random = chance.randomOf(`ids ${name}`);
  return {
    next: (): string => {
      const hex = Buffer.from(random.bytes(16)).toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
  };
};

interface Disturbing {
  readonly time: VirtualClock;
  readonly chance: KeyedChance;
  readonly swarm: () => Swarm;
}

export const disturb = (instance: Instance, { time, chance, swarm }: Disturbing): void => {
  const gapMs = chance.between(10_000, 120_000, 'instance.disturbed', instance.name);
  time.after(gapMs, () => {
    const { pauses, clockJumps } = swarm().process;
    const share = gapMs / HOUR_MS;
    if (chance.happens(pauses * share, 'instance.pauses', instance.name)) pause(instance, { time, chance, swarm });
    if (chance.happens(clockJumps * share, 'instance.jumps', instance.name))
      instance.clockErrorMs = chance.between(-CLOCK_ERROR_MS_MAX, CLOCK_ERROR_MS_MAX, 'instance.jump-ms', instance.name);
    if (swarm().process === HEALTHY.process) instance.clockErrorMs = 0;
    else disturb(instance, { time, chance, swarm });
  });
};

const pause = ({ name, process }: Instance, { time, chance }: Disturbing): void => {
  process?.life.pause();
  time.after(chance.between(100, PAUSE_MS_MAX, 'instance.pause-ms', name), () => process?.life.resume());
};
