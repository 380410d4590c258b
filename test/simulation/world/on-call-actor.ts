import { sleep } from '@app/kernel';
import type { VirtualClock } from '@app/testing';
import { GATES, SHOP_ENDPOINTS } from './installation';
import type { KeyedChance } from './keyed-chance';
import type { OperatorPort } from './operator-port';

export interface OnCallActions {
  /** How often per visit a gate or an entry point is held. */
  readonly holds: number;
}

export const NOBODY_ON_CALL: OnCallActions = { holds: 0 };

interface OnCallSettings {
  readonly time: VirtualClock;
  readonly chance: KeyedChance;
  readonly port: OperatorPort;
  readonly actions: () => OnCallActions;
  /** A process that starts with a former file keeps it until a configuration is applied again. */
  readonly isRolledOut: () => boolean;
}

const TARGETS = [...GATES.map((alias) => `gates/${alias}`), ...SHOP_ENDPOINTS.map((id) => `endpoints/${id}`)];
const GAP_MS = [4_000, 30_000] as const;
const APPLY_GAP_MS = [1_000, 10_000] as const;
const RELEASED_SHARE = 0.3;
/** A hold whose answer was lost may be stored until then. */
const STORED_WITHIN_MS = 30_000;
const DONE = 200;

/** An admin who holds and releases gates and entry points, and applies a changed configuration until each process has it. */
export class OnCallActor {
  readonly answers: { readonly about: string; readonly status: number | undefined }[] = [];
  /** Every target that was ever asked to be held: a lost answer may be stored after a release. */
  readonly #asked = new Set<string>();
  readonly #held = new Set<string>();
  #isApplying = false;
  #isVisiting = false;

  constructor(private readonly settings: OnCallSettings) {}

  get isAtRest(): boolean {
    return !this.#isVisiting && !this.#isApplying;
  }

  begin(withinMs: number): void {
    if (this.settings.actions().holds > 0) void this.#visit(withinMs);
  }

  async apply(): Promise<void> {
    if (this.#isApplying) return;
    this.#isApplying = true;
    const { time, chance, port, isRolledOut } = this.settings;
    do {
      await sleep(time, chance.between(...APPLY_GAP_MS, 'on-call.apply-gap'));
      const checked = await port.get('ada', '/configuration/check');
      const { digest, changeCount } = checked?.body ?? {};
      if (checked?.status === DONE && changeCount === 0 && isRolledOut()) break;
      if (checked?.status === DONE) await this.#post('configuration/apply', { reason: 'a new release', digest });
    } while (!isRolledOut());
    this.#isApplying = false;
  }

  async releaseAll(): Promise<void> {
    for (const target of this.#asked) while (!(await this.#release(target)));
  }

  async #visit(withinMs: number): Promise<void> {
    this.#isVisiting = true;
    const { time, chance, actions } = this.settings;
    const endsAtMs = time.now() + withinMs;
    for (;;) {
      await sleep(time, chance.between(...GAP_MS, 'on-call.gap'));
      if (time.now() >= endsAtMs) break;
      for (const target of this.#held) if (chance.happens(RELEASED_SHARE, 'on-call.releases', target)) await this.#release(target);
      if (chance.happens(actions().holds, 'on-call.holds')) await this.#hold(chance.pick(TARGETS, 'on-call.target'));
    }
    if (this.#asked.size > 0) await sleep(time, STORED_WITHIN_MS);
    await this.releaseAll();
    this.#isVisiting = false;
  }

  async #hold(target: string): Promise<void> {
    this.#asked.add(target);
    this.#held.add(target);
    await this.#post(`${target}/hold`, { reason: 'an outage is reported' });
  }

  async #release(target: string): Promise<boolean> {
    const isDone = (await this.#post(`${target}/hold/release`, { reason: 'it has recovered' })) === DONE;
    if (isDone) this.#held.delete(target);
    return isDone;
  }

  async #post(path: string, message: object): Promise<number | undefined> {
    const answer = await this.settings.port.post('ada', `/${path}`, message);
    this.answers.push({ about: path, status: answer?.status });
    return answer?.status;
  }
}
