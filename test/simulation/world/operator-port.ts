import { sleep } from '@app/kernel';
import type { VirtualClock } from '@app/testing';
import { OperatorApprovalsController } from '../../../apps/orchestrator/src/operator/operator-approvals.controller';
import { OperatorConfigurationController } from '../../../apps/orchestrator/src/operator/operator-configuration.controller';
import { OperatorFollowUpsController } from '../../../apps/orchestrator/src/operator/operator-follow-ups.controller';
import { OperatorController } from '../../../apps/orchestrator/src/operator/operator.controller';
import { OperatorListsController } from '../../../apps/orchestrator/src/operator/operator-lists.controller';
import { OperatorSwitchesController } from '../../../apps/orchestrator/src/operator/operator-switches.controller';
import { Edge } from './edge';
import type { KeyedChance } from './keyed-chance';
import type { VirtualProcess } from './virtual-process';
import type { WireAnswer } from './wire';

const ANSWER_LIMIT_MS = 60_000;
const CONTROLLERS = [
  OperatorListsController,
  OperatorController,
  OperatorFollowUpsController,
  OperatorApprovalsController,
  OperatorSwitchesController,
  OperatorConfigurationController,
];

export const OPERATORS = [
  { name: 'jane', role: 'operator', token: 'opr_jane_of_the_world' },
  { name: 'joe', role: 'operator', token: 'opr_joe_of_the_world' },
] as const;
const ADMIN = { name: 'ann', role: 'admin', token: 'opr_ann_of_the_world' } as const;
/** May apply a configuration. */
const ON_CALL = { name: 'ada', role: 'admin', token: 'opr_ada_of_the_world' } as const;
export const STAFF = [...OPERATORS, ADMIN, ON_CALL] as const;
export type OperatorName = (typeof STAFF)[number]['name'];
export const IMPOSTOR = 'impostor';

export interface OperatorAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

interface OperatorPortSettings {
  readonly time: VirtualClock;
  readonly chance: KeyedChance;
  readonly processes: () => readonly VirtualProcess[];
}

export class OperatorPort {
  readonly #edges = new WeakMap<VirtualProcess, Promise<Edge>>();

  constructor(private readonly settings: OperatorPortSettings) {}

  get(by: OperatorName | typeof IMPOSTOR, path: string): Promise<OperatorAnswer | undefined> {
    return this.#ask(by, 'GET', path);
  }

  /** Undefined if no answer arrived: it may have been done. */
  post(by: OperatorName, path: string, message: object): Promise<OperatorAnswer | undefined> {
    return this.#ask(by, 'POST', path, JSON.stringify(message));
  }

  async #ask(by: OperatorName | typeof IMPOSTOR, method: string, path: string, body = ''): Promise<OperatorAnswer | undefined> {
    const { time, chance, processes } = this.settings;
    const running = processes();
    await sleep(time, chance.between(1, 2_000, 'operator.ms', by));
    if (running.length === 0) return undefined;
    const process = chance.pick(running, 'operator.process', by);
    const token = STAFF.find(({ name }) => name === by)?.token ?? 'opr_of_nobody';
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', host: 'localhost' };
    const answer = await new Promise<WireAnswer | undefined>((resolve) => {
      process.life.onEnd(() => resolve(undefined));
      time.after(ANSWER_LIMIT_MS, () => resolve(undefined));
      if (process.life.hasEnded) return resolve(undefined);
      void this.#edgeOf(process).then((edge) => edge.request({ method, path, headers, body }).then(resolve));
    });
    if (answer === undefined) return undefined;
    const isJson = answer.body.startsWith('{');
    return { status: answer.status, body: isJson ? (JSON.parse(answer.body) as OperatorAnswer['body']) : {} };
  }

  #edgeOf(process: VirtualProcess): Promise<Edge> {
    const made = this.#edges.get(process) ?? Edge.over({ controllers: CONTROLLERS, get: (token) => process.parts.get(token) }, '');
    this.#edges.set(process, made);
    return made;
  }
}
