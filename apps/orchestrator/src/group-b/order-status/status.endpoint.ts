import type { Accounts } from '@app/configuration';
import { SessionRequest, type DeviceOperation, type StatusCause } from '@app/gateway-protocol';
import type { PayerPages } from '../../payer/payer-pages';
import { failed, type DeviceEndpoint, type DeviceRequest, type Failed, type Proven } from '../device-endpoint';
import { deviceStatusAnswer } from './device-status.answer';
import type { DeviceOrders } from './device-orders';

export interface StatusPorts {
  readonly accounts: Accounts;
  readonly orders: DeviceOrders;
  readonly pages: Pick<PayerPages, 'startUrl'>;
}

/** Verification, sale and transfer status (interface, sections 4.2 and 4.7). */
export class StatusEndpoint implements DeviceEndpoint<SessionRequest, StatusCause> {
  readonly name;
  readonly message = SessionRequest;

  constructor(
    private readonly operation: DeviceOperation,
    private readonly ports: StatusPorts,
  ) {
    this.name = `status-${operation}` as const;
  }

  async prove({ path, message, receivedAt, deadline }: DeviceRequest<SessionRequest>): Promise<Proven<StatusCause> | Failed<StatusCause>> {
    const { accounts, orders, pages } = this.ports;
    const merchant = accounts.entryPoint('endpoint', path.endpointId)?.merchant;
    const order = await orders.find(this.operation, { merchant, ...path }, message.session, receivedAt, deadline);
    if (order === undefined) return failed('unknown-order', 'ORDER_NOT_FOUND', 'No such order in this session');
    const { token } = message.session;
    return {
      kind: 'proven',
      merchant: order.view.merchant,
      go: () => Promise.resolve(deviceStatusAnswer(this.operation, order, token, pages)),
    };
  }
}
