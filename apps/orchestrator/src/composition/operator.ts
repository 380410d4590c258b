import type { Clock, Ids } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import { ResendCallback } from '@app/deliveries';
import type { EventStore } from '@app/event-store';
import type { Accounts } from '@app/merchant-accounts';
import type { SettleOrder } from '@app/order-processing';
import type { ReadModel } from '@app/projections';
import { OperatorDesk, type SettlesOrders } from '../operator/operator-desk';
import type { OrderTruth } from './order-truth';

export interface OperatorWorld {
  readonly store: EventStore;
  readonly readModel: ReadModel;
  readonly orders: OrderTruth;
  readonly sealer: OrderSealer;
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settleOrder: SettleOrder;
}

const settling = (settleOrder: SettleOrder): SettlesOrders => ({
  settle: async (stream, as, reason, actor) => {
    const settled = await settleOrder.settle(stream, as, reason, actor);
    return { reason: settled.kind === 'settled' ? 'settled' : 'nothing-to-settle' };
  },
});

/** What the operator's port is given; a process of either role has it. */
export const operatorDesk = ({ store, readModel, orders, sealer, accounts, clock, ids, settleOrder }: OperatorWorld): OperatorDesk =>
  new OperatorDesk({
    log: store,
    readModel,
    merchants: accounts.merchants.map(({ login }) => login),
    orders,
    resending: new ResendCallback({ store, sealer, clock, ids }),
    settling: settling(settleOrder),
  });
