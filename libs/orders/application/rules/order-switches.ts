import type { Clock, Ids, Instant, MerchantLogin, Scheduler } from '@app/kernel';
import type { Accounts } from '@app/configuration';
import type { OrderSealer } from '@app/card-vault';
import { afterEffect, FollowedStream, metadataOf, runDecision, StoreUnavailable, type Actor, type EventStore } from '@app/event-store';
import { holdKey, orderHolds, type HoldCommand, type HoldRejection, type HoldTarget, type OrderHolds } from '../../domain';
import { orderHoldsCodec, orderHoldsStream } from '../../events/order-holds.codec';

/** Name bound into the ciphertext of a reason. */
const HOLD_REASON = 'switch-reason';
/** Gates belong to no merchant. */
const NO_MERCHANT = '' as MerchantLogin;

interface OrderSwitchesPorts {
  readonly store: EventStore;
  readonly accounts: Pick<Accounts, 'gates' | 'entryPoint'>;
  readonly sealer: OrderSealer;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly scheduler: Scheduler;
  readonly onError: (error: unknown) => void;
}

export interface NewOrderHold extends HoldTarget {
  readonly since: Instant;
  /** The actor of the event, such as `operator:kim`. */
  readonly by: string;
}

export type SwitchAnswer = 'held' | 'released' | HoldRejection['reason'];

interface Followed {
  readonly holds: OrderHolds;
  readonly actors: ReadonlyMap<string, string>;
}

/** Gates and entry points that operators hold back from new orders, the same in every process within seconds. */
export class OrderSwitches {
  readonly #followed: FollowedStream<Followed>;

  constructor(private readonly ports: OrderSwitchesPorts) {
    this.#followed = new FollowedStream<Followed>({
      ...ports,
      stream: orderHoldsStream(),
      initial: { holds: orderHolds.initial, actors: new Map() },
      evolve: ({ holds, actors }, stored) => {
        const event = orderHoldsCodec.decode(stored);
        return {
          holds: orderHolds.evolve(holds, event),
          actors: new Map(actors).set(holdKey(event.data), metadataOf(stored).actor),
        };
      },
    });
  }

  start(): Promise<void> {
    return this.#followed.start();
  }

  stop(): void {
    this.#followed.stop();
  }

  /** @throws StoreUnavailable if this process has not read them yet */
  isHeld(kind: HoldTarget['kind'], id: string): boolean {
    return this.#read().holds.has(holdKey({ kind, id }));
  }

  /** The oldest first; empty if this process has not read them yet. */
  holds(): readonly NewOrderHold[] {
    const { holds, actors } = this.#followed.state ?? { holds: orderHolds.initial, actors: new Map<string, string>() };
    const shown = [...holds].map(([key, { kind, id, merchant, heldAt }]) => ({
      kind,
      id,
      ...(merchant !== undefined && { merchant }),
      since: heldAt,
      by: actors.get(key) ?? '',
    }));
    return shown.sort((a, b) => a.since - b.since);
  }

  /** A configured gate or entry point, or a held one, which may be configured no longer. */
  find(kind: HoldTarget['kind'], id: string): HoldTarget | undefined {
    const held = this.#followed.state?.holds.get(holdKey({ kind, id }));
    if (held !== undefined) return { kind, id, ...(held.merchant !== undefined && { merchant: held.merchant }) };
    const { accounts } = this.ports;
    if (kind === 'gate') return accounts.gates.some(({ alias }) => alias === id) ? { kind, id } : undefined;
    const entryPoint = accounts.entryPoint('endpoint', id);
    return entryPoint && { kind, id, merchant: entryPoint.merchant };
  }

  /**
   * In force in this process when it resolves.
   * @throws StoreUnavailable, OutcomeUnknown, VaultUnavailable
   */
  async turn(type: HoldCommand['type'], target: HoldTarget, reason: string, by: Actor): Promise<SwitchAnswer> {
    const { store, sealer, clock, ids } = this.ports;
    const merchant = target.merchant ?? NO_MERCHANT;
    const sealed = (await sealer.takeKey()).seal(merchant, HOLD_REASON, reason);
    const now = clock.now();
    const commandId = ids.next();
    const result = await runDecision({
      store,
      codec: orderHoldsCodec,
      decider: orderHolds,
      stream: orderHoldsStream(),
      command: { type, data: { ...target, reason: sealed, now } },
      envelope: { correlation: commandId, causation: commandId, ...by, merchant, commandId, recordedAt: now },
    });
    await afterEffect(() => this.#followed.refresh());
    if (result.kind === 'rejected') return result.rejection.reason;
    return type === 'HoldNewOrders' ? 'held' : 'released';
  }

  #read(): Followed {
    const { state } = this.#followed;
    if (state === undefined) throw new StoreUnavailable('the switches of gates and entry points were not read yet');
    return state;
  }
}
