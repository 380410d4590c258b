import type { SessionRequest } from '@app/gateway-protocol';
import type { Accounts } from '@app/configuration';
import type { DeviceOrders } from '@app/read-models/queries';
import { failed, type Cause, type Failed } from './device-answer';
import type { DeviceRequest, RequestInSession } from './device-request';

/** Authenticates a request by the session of the order that its path names (interface, section 4.2). */
export class SessionVerifier {
  constructor(
    private readonly accounts: Pick<Accounts, 'entryPoint'>,
    private readonly orders: DeviceOrders,
  ) {}

  /** @throws StoreUnavailable, BrokenChain */
  async verify(request: DeviceRequest<SessionRequest>): Promise<RequestInSession | Failed<Cause>> {
    const { operation, path, message, serial, callerTrace, deadline, receivedAt } = request;
    const { endpointId, invoiceId } = path;
    const named = { merchant: this.accounts.entryPoint('endpoint', endpointId)?.merchant, endpointId, invoiceId };
    const order = await this.orders.find(operation.operation, named, message.session, receivedAt, deadline);
    if (order !== undefined) {
      const { merchant } = order.view;
      return { kind: 'in-session', operation, path, message, serial, callerTrace, deadline, receivedAt, merchant, order };
    }
    const cause = operation.causes.includes('ORDER_NOT_FOUND') ? 'ORDER_NOT_FOUND' : 'INVALID_REQUEST';
    return failed('unknown-order', cause, 'No such order in this session');
  }
}
