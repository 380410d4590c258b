import type { EventStore } from '@app/event-store';
import type { Gates } from '@app/gateway-adapters/contract';
import { noFailpoints, type Failpoints, type Ids, type KillPoint, type Random } from '@app/kernel';
import { RequestFollowUpHandler, ResolveUnknownFollowUp, WorkFollowUp } from '@app/orders';
import { textOrderIds, type VirtualClock } from '@app/testing';
import { orderParts } from './order-parts';
import { HOLDER } from './order-scenario';
import { ScriptedMerchantServer } from './scripted-merchant-server';
import { ScriptedVault } from './scripted-vault';

interface Outside {
  readonly store: EventStore;
  readonly gates: Gates;
  readonly clock: VirtualClock;
  readonly ids: Ids;
  readonly random: Random;
  readonly isShared: boolean;
}

/** One process. If killed, it stops at that point and finishes nothing that it began. */
export class FollowUpProcess {
  readonly handler: RequestFollowUpHandler;
  readonly worker: WorkFollowUp;
  readonly resolving: ResolveUnknownFollowUp;
  readonly errors: unknown[] = [];
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

  kill(): void {
    this.#isDead = true;
  }
}
