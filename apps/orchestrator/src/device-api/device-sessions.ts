import type { SessionRequest } from '@app/gateway-protocol';
import type { Accounts } from '@app/configuration';
import type { DeviceOrders } from '@app/order-queries';
import { failed, type Cause, type Failed } from './device-answer';
import type { DeviceRequest, RequestInSession } from './device-request';

/** Whether a request is in the session of the order that its path names (interface, section 4.2). */
export class DeviceSessions {
  constructor(
    private readonly accounts: Pick<Accounts, 'entryPoint'>,
    private readonly orders: DeviceOrders,
  ) {}

  /** @throws StoreUnavailable, BrokenChain */
  async prove(request: DeviceRequest<SessionRequest>): Promise<RequestInSession | Failed<Cause>> {
    const { operation, path, message, receivedAt } = request;
    const merchant = this.accounts.entryPoint('endpoint', path.endpointId)?.merchant;
    const order = await this.orders.find(operation.operation, { merchant, ...path }, message.session, receivedAt);
    if (order !== undefined) return { ...request, kind: 'in-session', merchant: order.view.merchant, order };
    const cause = operation.causes.includes('ORDER_NOT_FOUND') ? 'ORDER_NOT_FOUND' : 'INVALID_REQUEST';
    return failed('unknown-order', cause, 'No such order in this session');
  }
}
