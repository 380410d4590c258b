import type { Clock, Ids } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import { ResendCallback } from '@app/deliveries';
import type { EventStore } from '@app/event-store';
import type { Accounts } from '@app/merchant-accounts';
import type { SettleFollowUp, SettleOrder } from '@app/order-processing';
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
  readonly settleFollowUp: SettleFollowUp;
}

const settling = (order: SettleOrder, followUps: SettleFollowUp): SettlesOrders => ({
  settle: async (stream, as, reason, actor, followUp) => {
    const settled =
      followUp === undefined ? await order.settle(stream, as, reason, actor) : await followUps.settle(stream, followUp, as, reason, actor);
    if (settled.kind === 'settled') return { reason: 'settled' };
    return { reason: settled.reason === 'flight-not-over' ? 'flight-not-over' : 'nothing-to-settle' };
  },
});

/** What the operator's port is given; a process of either role has it. */
export const operatorDesk = ({
  store,
  readModel,
  orders,
  sealer,
  accounts,
  clock,
  ids,
  settleOrder,
  settleFollowUp,
}: OperatorWorld): OperatorDesk =>
  new OperatorDesk({
    log: store,
    readModel,
    merchants: accounts.merchants.map(({ login }) => login),
    orders,
    resending: new ResendCallback({ store, sealer, clock, ids }),
    settling: settling(settleOrder, settleFollowUp),
  });
