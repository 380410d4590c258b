import type { Operator } from '@app/configuration';
import type { NewOrderHold, OrderSwitches, SwitchAnswer } from '@app/orders';
import type { HoldTarget } from '@app/orders/domain';
import type { OperatorAction } from '../record/operator-audit.events';
import type { OperatorAudit } from '../record/operator-audit';
import { act, type ActingOperator, seesMerchant } from './operator-access';

/** A gate or an entry point that gets no new orders. */
export interface HeldJson {
  readonly kind: HoldTarget['kind'];
  /** Alias of the gate, or id of the entry point. */
  readonly id: string;
  /** Of an entry point. */
  readonly merchant?: string;
  readonly since: string;
  readonly by: string;
}

export interface Switching {
  readonly reason: SwitchAnswer | 'unknown-gate' | 'unknown-endpoint';
}

const ACTIONS = {
  hold: { type: 'HoldNewOrders', done: ['held'], gate: 'hold-gate', endpoint: 'hold-endpoint' },
  release: { type: 'ReleaseNewOrders', done: ['released'], gate: 'release-gate', endpoint: 'release-endpoint' },
} as const satisfies Readonly<Record<string, Readonly<Record<HoldTarget['kind'], OperatorAction>> & { readonly [name: string]: unknown }>>;

interface SwitchServicePorts {
  readonly switches: Pick<OrderSwitches, 'find' | 'holds' | 'turn'>;
  readonly audit: Pick<OperatorAudit, 'begin' | 'end'>;
}

/** Holds of gates and entry points by operators, each recorded before it is executed. */
export class SwitchService {
  constructor(private readonly ports: SwitchServicePorts) {}

  /** The oldest first; to a limited operator, only entry points of its merchants. */
  held(operator: Pick<Operator, 'merchants'>): readonly HeldJson[] {
    const holds = this.ports.switches.holds().filter(({ merchant }) => seesMerchant(operator, merchant));
    return holds.map(({ since, ...held }: NewOrderHold) => ({ ...held, since: new Date(since).toISOString() }));
  }

  async turn(
    to: keyof typeof ACTIONS,
    kind: HoldTarget['kind'],
    { id, reason }: { readonly id: string; readonly reason: string },
    acting: ActingOperator,
  ): Promise<Switching> {
    const { switches, audit } = this.ports;
    const target = switches.find(kind, id);
    if (target === undefined || !seesMerchant(acting.operator, target.merchant)) return { reason: `unknown-${kind}` };
    const { type, done, [kind]: action } = ACTIONS[to];
    return act(audit, acting, { action, target: id, done: [...done] }, async (by): Promise<Switching> => ({
      reason: await switches.turn(type, target, reason, by),
    }));
  }
}
