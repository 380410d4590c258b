import { Global, Module, type DynamicModule } from '@nestjs/common';
import { systemClock, systemIds, systemMonotonic, systemRandom, systemScheduler } from '../system/system';
import type { BootId } from '../values/ids';
import type { Clock, Ids, Monotonic, Random, Scheduler } from '../system/ports';
import type { Failpoints } from '../system/failpoints';
import { token } from './token';

export const CLOCK = token<Clock>('CLOCK');
export const MONOTONIC = token<Monotonic>('MONOTONIC');
export const IDS = token<Ids>('IDS');
export const RANDOM = token<Random>('RANDOM');
export const SCHEDULER = token<Scheduler>('SCHEDULER');
/** Where a test may end the process; none in production. */
export const FAILPOINTS = token<Failpoints>('FAILPOINTS');
/** This run of this process, as owner of CVVs and of number blocks. */
export const BOOT_ID = token<BootId>('BOOT_ID');

export interface SystemSettings {
  readonly bootId: BootId;
  readonly failpoints: Failpoints;
  /** By default the machine's. */
  readonly time?: (Clock & Monotonic & Scheduler) | undefined;
}

/** The only source of time, ids, randomness and timers. */
@Global()
@Module({})
export class SystemModule {
  static forRoot({ bootId, failpoints, time }: SystemSettings): DynamicModule {
    const values = [
      { provide: CLOCK, useValue: time ?? systemClock },
      { provide: MONOTONIC, useValue: time ?? systemMonotonic },
      { provide: IDS, useValue: systemIds },
      { provide: RANDOM, useValue: systemRandom },
      { provide: SCHEDULER, useValue: time ?? systemScheduler },
      { provide: FAILPOINTS, useValue: failpoints },
      { provide: BOOT_ID, useValue: bootId },
    ];
    return { module: SystemModule, providers: values, exports: values.map(({ provide }) => provide) };
  }
}
