import type { EventStore } from '@app/event-store';
import type { Gates } from '@app/gateway-adapters/contract';
import { noFailpoints, type Failpoints, type Ids, type KillPoint, type Random } from '@app/kernel';
import {
  gateCalling,
  InquireFollowUp,
  OrderContexts,
  OrderRecorder,
  RequestFollowUpHandler,
  ResolveUnknownFollowUp,
  SubmitFollowUp,
  WorkFollowUp,
} from '@app/order-processing';
import { paymentContext } from '@app/payment';
import { textOrderIds, type VirtualClock } from '@app/testing';
import { ScriptedVault } from './scripted-vault';

/** The parts of the world that outlive a process. */
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
  readonly contexts: OrderContexts;
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
    this.contexts = new OrderContexts(mortal as EventStore, textOrderIds(random));
    this.contexts.register(paymentContext);
    const sealer = new ScriptedVault();
    const recorder = new OrderRecorder(this.contexts, ids, clock, random, clock);
    const { caller, claims, underWay } = gateCalling({
      contexts: this.contexts,
      sealer,
      digests: { onceKey: () => '' },
      clock,
      random,
      monotonic: clock,
      scheduler: clock,
      isShared,
      onAdapterError: (error) => this.errors.push(error),
      onLateAnswer: ({ task }, answer) => this.late.push(`${task}: ${answer}`),
    });
    const submitting = new SubmitFollowUp(recorder, caller, claims, gates, ids, clock, failpoints);
    const inquiring = new InquireFollowUp(recorder, caller, gates, underWay);
    this.handler = new RequestFollowUpHandler({ contexts: this.contexts, gates, sealer, clock, failpoints });
    this.worker = new WorkFollowUp(this.contexts, submitting, inquiring, underWay, clock);
    this.resolving = new ResolveUnknownFollowUp(this.contexts, recorder, sealer, clock);
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  /** From now on the process appends nothing any more; what has left it arrives. */
  kill(): void {
    this.#isDead = true;
  }
}
