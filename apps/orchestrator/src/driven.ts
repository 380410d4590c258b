import { subscribe } from 'node:diagnostics_channel';
import { setImmediate as turn } from 'node:timers/promises';
import { waitingWrites, writeRebuildable } from '@app/databases/sqlite';
import type { Fault, GateCall, SimulatorFaults } from '@app/gateway-adapters/simulator';
import { addMs, type Clock, type Instant, type Monotonic, type Scheduled, type Scheduler } from '@app/kernel';
import type { FaultsOf } from './gates/gates.module';

/** What happens to the next calls of a gate, in a circle: `null` is no fault. */
interface GateScript {
  readonly charging: readonly (Fault | null)[];
  readonly inquiring: readonly (Fault | null)[];
}

interface DriveMessage {
  /** Epoch milliseconds. */
  readonly toMs: number;
  /** `each`: every timer runs at its own time. `once`: as after a machine's sleep, each timer that is due runs once, at the new time. */
  readonly timers: 'each' | 'once';
  /** Somebody outside waits, so that no timer is put off. */
  readonly isAwaited?: boolean;
  readonly gates?: Readonly<Record<string, GateScript>>;
}

interface DrivenMessage {
  readonly nowMs: number;
}

interface Timer {
  readonly dueAt: Instant;
  readonly delayMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** Turns of the event loop without work, after which nothing more happens by itself. */
const QUIET_TURNS = 3;
/** Requests of the system that are under way, by the names of `process.getActiveResourcesInfo`. */
const UNDER_WAY: ReadonlySet<string> = new Set([
  'CloseReq',
  'TCPConnectWrap',
  'FSReqCallback',
  'FSReqPromise',
  'GetAddrInfoReqWrap',
  'WriteWrap',
  'ShutdownWrap',
]);
/** Rounds of the log's proofs. Each may sign a checkpoint, which waits for the disk: a month of them would cost more than its orders. */
const ROUND_MS = 500;
const ROUND_PUT_OFF_MS = 6 * 3_600_000;
const TIMERS_PER_DRIVE_MAX = 1_000_000;

/** Requests of undici, which all calls of this program use. */
let requestsOut = 0;

const isBusy = (): boolean =>
  waitingWrites() > 0 || requestsOut > 0 || process.getActiveResourcesInfo().some((name) => UNDER_WAY.has(name));

const settled = async (): Promise<void> => {
  for (let quiet = 0; quiet < QUIET_TURNS;) {
    await turn();
    quiet = isBusy() ? 0 : quiet + 1;
  }
};

/** Clock and timers that move only on request, and only when the process has no work under way. */
class DrivenTime implements Clock, Monotonic, Scheduler {
  #now: Instant;
  #order = 0;
  #roundAt: Instant;
  readonly #timers = new Set<Timer>();

  constructor(start: Instant) {
    this.#now = start;
    this.#roundAt = start;
  }

  now(): Instant {
    return this.#now;
  }

  elapsedMs(): number {
    return this.#now;
  }

  after(delayMs: number, run: () => void): Scheduled {
    const timer: Timer = { dueAt: addMs(this.#now, Math.max(delayMs, 0)), delayMs, order: this.#order++, run };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  async drive({ toMs, timers, isAwaited = false }: Omit<DriveMessage, 'gates'>): Promise<void> {
    await settled();
    if (timers === 'once') return this.#wakeAt(toMs as Instant);
    for (let ran = 0; ran < TIMERS_PER_DRIVE_MAX; ran++) {
      const [next] = this.#dueBy(toMs as Instant, isAwaited);
      if (next === undefined) {
        this.#now = Math.max(this.#now, toMs) as Instant;
        return;
      }
      this.#now = Math.max(this.#now, next.dueAt) as Instant;
      this.#timers.delete(next);
      this.#run(next);
      await settled();
    }
    throw new Error(`${TIMERS_PER_DRIVE_MAX} timers ran before ${new Date(toMs).toISOString()}`);
  }

  async #wakeAt(at: Instant): Promise<void> {
    this.#now = Math.max(this.#now, at) as Instant;
    for (const timer of this.#dueBy(at, false)) if (this.#timers.delete(timer)) this.#run(timer);
    await settled();
  }

  #run({ delayMs, run }: Timer): void {
    if (delayMs === ROUND_MS) this.#roundAt = this.#now;
    run();
  }

  #dueBy(end: Instant, isAwaited: boolean): readonly Timer[] {
    const areRoundsDue = isAwaited || this.#now >= addMs(this.#roundAt, ROUND_PUT_OFF_MS);
    return [...this.#timers]
      .filter(({ dueAt, delayMs }) => dueAt <= end && (delayMs !== ROUND_MS || areRoundsDue))
      .sort((one, other) => one.dueAt - other.dueAt || one.order - other.order);
  }
}

/** The parent's script for the simulated gates. */
class ScriptedGates {
  #scripts: Readonly<Record<string, GateScript>> = {};
  readonly #calls = new Map<string, number>();

  constructor(private readonly scheduler: Scheduler) {}

  take(scripts: Readonly<Record<string, GateScript>>): void {
    this.#scripts = scripts;
  }

  faultsOf(alias: string): SimulatorFaults {
    return { scheduler: this.scheduler, faultFor: (call) => this.#next(alias, call) };
  }

  #next(alias: string, call: GateCall): Fault | undefined {
    const script = this.#scripts[alias];
    if (script === undefined) return undefined;
    const faults = call === 'inquire' ? script.inquiring : script.charging;
    if (faults.length === 0) return undefined;
    const count = this.#calls.get(alias) ?? 0;
    this.#calls.set(alias, count + 1);
    return faults[count % faults.length] ?? undefined;
  }
}

export interface Driven {
  readonly time: DrivenTime;
  readonly faultsOf: FaultsOf;
}

/** Time and simulated gates under the control of the process that started this one, over its channel. */
export const drivenByParent = (fromMs: number | undefined): Driven | undefined => {
  if (fromMs === undefined) return undefined;
  // A crash fails the whole history, whose folder is then refused.
  writeRebuildable();
  subscribe('undici:request:create', () => (requestsOut += 1));
  for (const end of ['undici:request:trailers', 'undici:request:error']) subscribe(end, () => (requestsOut -= 1));
  const time = new DrivenTime(fromMs as Instant);
  const gates = new ScriptedGates(time);
  process.on('message', ({ gates: scripts, ...message }: DriveMessage) => {
    if (scripts !== undefined) gates.take(scripts);
    void time.drive(message).then(() => process.send?.({ nowMs: time.now() } satisfies DrivenMessage));
  });
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  return { time, faultsOf: (alias) => gates.faultsOf(alias) };
};
