import { closeSync, mkdirSync, openSync } from 'node:fs';
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as realWait } from 'node:timers/promises';
import type { Instant } from '@app/kernel';
import { CommandFailed } from '../../terminal';
import { answersReady, builtProgram, exitCodeOf } from '../programs';
import type { ServiceSettings } from '../settings';

/** As the simulator's faults (`libs/gateway-adapters/simulator/faults.ts`). */
export type GateFault = { readonly kind: 'answers-late'; readonly delayMs: number } | { readonly kind: 'request-lost' | 'answer-lost' };

/** What happens to the next calls of a gate, in a circle. `null`: the gate answers at once. */
export interface GateScript {
  readonly charging: readonly (GateFault | null)[];
  readonly inquiring: readonly (GateFault | null)[];
}

interface DriveMessage {
  readonly toMs: number;
  readonly timers: 'each' | 'once';
  readonly isAwaited?: boolean;
  readonly gates?: Readonly<Record<string, GateScript>>;
}

const READY_TRIES_MAX = 400;
const READY_STEP_MS = 50;
const STOP_STEPS_MAX = 2_000;
const PUMP_STEP_MS = 100;

interface DriveStart {
  readonly from: Instant;
  /** Called at every step of the service's time. */
  readonly onTime: (nowMs: number) => void;
}

/** The built service, whose time and simulated gates this process drives over a channel. */
export class DrivenService {
  #now: number;
  #ended: number | undefined;
  #onMoved: (() => void) | undefined;
  #errors = '';

  private constructor(
    private readonly child: ChildProcess,
    private readonly logPath: string,
    fromMs: number,
    private readonly onTime: (nowMs: number) => void,
  ) {
    this.#now = fromMs;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.#errors = (this.#errors + text).slice(-2_000)));
    child.on('message', ({ nowMs }: { nowMs: number }) => {
      this.#now = nowMs;
      this.onTime(nowMs);
      this.#onMoved?.();
    });
    child.once('exit', (code, signal) => {
      this.#ended = exitCodeOf(code, signal);
      this.#onMoved?.();
    });
  }

  /** @throws CommandFailed if it does not become ready */
  static async start({ environment, dataDir, port }: ServiceSettings, { from, onTime }: DriveStart): Promise<DrivenService> {
    mkdirSync(dataDir, { recursive: true });
    const logPath = join(dataDir, 'service.log');
    const log = openSync(logPath, 'a');
    const child = spawn(process.execPath, [builtProgram('orchestrator')], {
      env: { ...environment, DRIVEN_FROM: String(from), LOG_LEVEL: 'error' },
      stdio: ['ignore', log, 'pipe', 'ipc'],
    });
    closeSync(log);
    const service = new DrivenService(child, logPath, from, onTime);
    for (let tries = 0; tries < READY_TRIES_MAX; tries++) {
      if (await answersReady(port)) return service;
      await realWait(READY_STEP_MS);
      if (tries % 4 === 3) await service.advance(READY_STEP_MS);
    }
    await service.stop();
    throw new CommandFailed(`the service did not become ready; its log is ${logPath}`);
  }

  /** The service's time. */
  get now(): Instant {
    return this.#now as Instant;
  }

  /** Runs every timer at its own time. @throws CommandFailed if the service has ended */
  advance(ms: number): Promise<void> {
    return this.#drive({ toMs: this.#now + ms, timers: 'each' });
  }

  /** As `advance`, with the rounds of the log's proofs, which are put off otherwise. */
  advanceWithProofs(ms: number): Promise<void> {
    return this.#drive({ toMs: this.#now + ms, timers: 'each', isAwaited: true });
  }

  /** As a machine that slept until then: each timer that is due runs once. */
  wakeAt(at: number, gates?: Readonly<Record<string, GateScript>>): Promise<void> {
    return this.#drive({ toMs: at, timers: 'once', ...(gates && { gates }) });
  }

  /** Moves time on while something outside waits for the service. The log's proofs are not part of the wait: a round signs, and would cost more than all else. */
  async pumped<Result>(work: Promise<Result>): Promise<Result> {
    let isOver = false;
    const done = work.finally(() => (isOver = true));
    done.catch(() => undefined);
    while (!isOver) {
      await Promise.race([done.catch(() => undefined), realWait(1)]);
      if (!isOver) await this.advance(PUMP_STEP_MS);
    }
    return done;
  }

  async stop(): Promise<void> {
    if (this.#ended !== undefined) return;
    this.child.kill('SIGTERM');
    for (let steps = 0; steps < STOP_STEPS_MAX && !this.#hasEnded; steps++) {
      await this.advanceWithProofs(PUMP_STEP_MS).catch(() => undefined);
      await realWait(5);
    }
    if (!this.#hasEnded) this.child.kill('SIGKILL');
  }

  get #hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  #drive(message: DriveMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#onMoved = () => {
        this.#onMoved = undefined;
        if (this.#ended === undefined) resolve();
        else
          reject(
            new CommandFailed(`the service ended with code ${this.#ended}; its log is ${this.logPath}\n${this.#errors.trim()}`.trim()),
          );
      };
      if (this.#ended !== undefined) this.#onMoved();
      else this.child.send(message, (error) => error && this.#onMoved?.());
    });
  }
}
