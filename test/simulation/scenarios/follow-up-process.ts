import type { EventStore } from '@app/event-store';
import type { Gates } from '@app/gateway-adapters/contract';
import { noFailpoints, type Failpoints, type Ids, type KillPoint, type Random } from '@app/kernel';
import { RequestFollowUpHandler, ResolveUnknownFollowUp, WorkFollowUp } from '@app/orders';
import { textOrderIds, type VirtualClock } from '@app/testing';
import { orderParts } from './order-parts';
import { HOLDER } from './order-scenario';
import { ScriptedMerchantServer } from './scripted-merchant-server';
import { ScriptedVault } from './scripted-vault';

/** What outlives a process. */
interface Outside {
  readonly store: EventStore;
  readonly gates: Gates;
  readonly clock: VirtualClock;
  readonly ids: Ids;
  readonly random: Random;
  readonly isShared: boolean;
}

/** Follow-ups as one process has them; killed, it stops at the point, and nothing that it had begun goes on. */
export class FollowUpProcess {
  readonly handler: RequestFollowUpHandler;
  readonly worker: WorkFollowUp;
  readonly resolving: ResolveUnknownFollowUp;
  readonly errors: unknown[] = [];
  /** Answers that gates gave after the time was over. */
  readonly late: string[] = [];
  #isDead = false;

  constructor({ store, gates, clock, ids, random, isShared }: Outside, kill?: { readonly at: KillPoint; readonly reach: number }) {
    let reaches = 0;
    const failpoints: Failpoints =
      kill === undefined
        ? noFailpoints
        : {
            reach: (point) => {
              if (point !== kill.at || ++reaches !== kill.reach) return;
              this.#isDead = true;
              throw new Error(`killed at ${point}`);
            },
          };
    const mortal: Pick<EventStore, 'append' | 'read'> = {
      append: (...parameters) => (this.#isDead ? new Promise(() => undefined) : store.append(...parameters)),
      read: (...parameters) => store.read(...parameters),
    };
    const parts = orderParts({
      clock,
      store: mortal,
      gates,
      vault: new ScriptedVault(),
      merchantServer: new ScriptedMerchantServer(),
      ids,
      random,
      orderIds: textOrderIds(random),
      bootId: HOLDER,
      isShared,
      failpoints,
      onError: (error) => this.errors.push(error),
      onLate: (answer) => this.late.push(answer),
    });
    this.handler = parts.now(RequestFollowUpHandler);
    this.worker = parts.now(WorkFollowUp);
    this.resolving = parts.now(ResolveUnknownFollowUp);
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** From now on the process appends nothing any more; what has left it arrives. */
  kill(): void {
    this.#isDead = true;
  }
}
