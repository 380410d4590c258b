import { sleep } from '@app/kernel';
import type { VirtualClock } from '@app/testing';
import type { FollowUp } from '../../support/merchants/merchant';
import type { KeyedChance } from './keyed-chance';
import type { MerchantActor } from './merchant-actor';
import { statusOf, type OrderRecord } from './merchant-records';
import type { OperatorActions } from './operator-actor';
import { STAFF, type OperatorAnswer, type OperatorName, type OperatorPort } from './operator-port';

/** One key of an operator: once at most, however often it was sent. */
export interface MoneyMove {
  readonly orderId: string;
  readonly kind: FollowUp;
}

interface ApprovalActorSettings {
  readonly time: VirtualClock;
  readonly chance: KeyedChance;
  readonly port: OperatorPort;
  readonly merchants: readonly MerchantActor[];
  readonly hasApprovals: boolean;
  readonly actions: () => Pick<OperatorActions, 'moves' | 'alone'>;
}

const GAP_MS = [10_000, 40_000] as const;
const LISTED_MAX = 20;
const DECIDED_MAX = 3;
const REPEATS_MAX = 3;
const TWICE_SHARE = 0.2;
const RIVALS_SHARE = 0.3;
const REJECTED_SHARE = 0.15;
const KINDS_OF_PREAUTH = ['capture', 'capture', 'return', 'void'] as const;
const KINDS = ['return', 'return', 'return', 'void'] as const;
const DONE = 200;
const REST = 'the rest';
const AMOUNTS = [REST, '0.50', '0.50'] as const;

/** Operators who move money in place of the shop, and decide on what waits for a second person. */
export class ApprovalActor {
  readonly moves: MoneyMove[] = [];
  readonly answers: { readonly about: string; readonly status: number | undefined }[] = [];

  constructor(private readonly settings: ApprovalActorSettings) {}

  begin(withinMs: number): void {
    const { hasApprovals, actions } = this.settings;
    if (hasApprovals || actions().moves > 0) for (const { name } of STAFF) void this.#work(name, withinMs);
  }

  async #work(by: OperatorName, withinMs: number): Promise<void> {
    const { time, chance, actions, hasApprovals } = this.settings;
    const endsAtMs = time.now() + withinMs;
    for (;;) {
      await sleep(time, chance.between(...GAP_MS, 'approver.gap', by));
      if (time.now() >= endsAtMs) return;
      if (chance.happens(actions().moves, 'operator.moves', by)) await this.#move(by);
      if (hasApprovals) await this.#decideOnSome(by);
    }
  }

  async #move(by: OperatorName): Promise<void> {
    const { chance, merchants } = this.settings;
    const approved = merchants.flatMap(({ orders }) => [...orders.values()].filter(isApproved));
    if (approved.length === 0) return;
    const { kind: of, order } = chance.pick(approved, 'operator.moved', by);
    if (order === undefined) return;
    const { orderId } = order;
    const kind = chance.pick(of === 'preauth' || of === 'rebillPreauth' ? KINDS_OF_PREAUTH : KINDS, 'operator.moves-kind', orderId);
    const part = kind === 'return' ? chance.pick(AMOUNTS, 'operator.moves-amount', orderId) : REST;
    const amount = part === REST ? undefined : part;
    const message = { reason: 'the shop asked for it', key: `ticket-of-${by}-${this.moves.length}`, amount, alone: this.#isAlone(by) };
    this.moves.push({ orderId, kind });
    const move = (): Promise<OperatorAnswer | undefined> => this.#post(by, `/orders/${orderId}/${kind}s`, message);
    const answers = await Promise.all(chance.happens(TWICE_SHARE, 'operator.moves-twice', by) ? [move(), move()] : [move()]);
    let isLost = answers.every((answer) => answer === undefined);
    for (let times = 0; isLost && times < REPEATS_MAX && chance.happens(1, 'operator.asks-again', by); times++)
      isLost = (await move()) === undefined;
  }

  async #decideOnSome(by: OperatorName): Promise<void> {
    const { chance, port } = this.settings;
    const answer = await port.get(by, `/approvals?limit=${LISTED_MAX}`);
    if (answer?.status !== DONE) return;
    const listed = answer.body['approvals'] as readonly { readonly approvalId: string; readonly status: string }[];
    const some = (status: string) => listed.filter((one) => one.status === status).slice(0, DECIDED_MAX);
    for (const { approvalId } of some('waiting')) {
      chance.happens(1, 'operator.decides', by);
      const rivals = chance.happens(RIVALS_SHARE, 'operator.rivals', approvalId) ? STAFF.map(({ name }) => name) : [by];
      await Promise.all(rivals.map((one) => this.#decide(one, approvalId)));
    }
    for (const { approvalId } of some('approved')) {
      chance.happens(1, 'operator.executes', by);
      await this.#post(by, `/approvals/${approvalId}/execution`, {});
    }
  }

  async #decide(by: OperatorName, approvalId: string): Promise<void> {
    if (this.settings.chance.happens(REJECTED_SHARE, 'operator.rejects', by))
      await this.#post(by, `/approvals/${approvalId}/rejecting`, { reason: 'the shop returned it already' });
    else await this.#post(by, `/approvals/${approvalId}/approving`, { reason: 'checked with the shop', alone: this.#isAlone(by) });
  }

  #isAlone(by: OperatorName): boolean {
    const { chance, actions } = this.settings;
    return chance.happens(actions().alone, 'operator.alone', by);
  }

  async #post(by: OperatorName, path: string, message: object): Promise<OperatorAnswer | undefined> {
    const answer = await this.settings.port.post(by, path, message);
    this.answers.push({ about: `${by} ${path}`, status: answer?.status });
    return answer;
  }
}

const isApproved = ({ statuses }: OrderRecord): boolean => {
  const last = statuses.at(-1);
  return last !== undefined && statusOf(last) === 'approved';
};
