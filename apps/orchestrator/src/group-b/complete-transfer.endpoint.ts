import type { Accounts } from '@app/configuration';
import type { GateAlias } from '@app/kernel';
import type { FeeChoice, NamedRequest, OpenOrder, OrderContexts } from '@app/order-processing';
import { SessionRequest, type PerformCause } from '@app/gateway-protocol';
import { failed, type DeviceEndpoint, type DeviceRequest, type Failed, type Proven } from './device-endpoint';
import type { DeviceOrders } from './order-status/device-orders';

/** The consumer's choice among the fees (interface, section 3.2). */
export interface ChoosesFees {
  choose(open: OpenOrder, gate: GateAlias, asked: NamedRequest): Promise<FeeChoice>;
}

export interface CompleteTransferPorts {
  readonly accounts: Pick<Accounts, 'entryPoint'>;
  readonly orders: DeviceOrders;
  readonly contexts: Pick<OrderContexts, 'open'>;
  readonly fees: ChoosesFees;
}

/** Complete transfer: the order goes on at the gate that the consumer chose, once (interface, sections 3.2 and 4.2). */
export class CompleteTransferEndpoint implements DeviceEndpoint<SessionRequest, PerformCause> {
  readonly name = 'complete-transfer';
  readonly message = SessionRequest;

  constructor(private readonly ports: CompleteTransferPorts) {}

  async prove(request: DeviceRequest<SessionRequest>): Promise<Proven<PerformCause> | Failed<PerformCause>> {
    const { path, message, receivedAt, deadline } = request;
    const { accounts, orders, contexts, fees } = this.ports;
    const login = accounts.entryPoint('endpoint', path.endpointId)?.merchant;
    const order = await orders.find('transfer', { merchant: login, ...path }, message.session, receivedAt, deadline);
    if (order === undefined) return failed('unknown-order', 'INVALID_REQUEST', 'No such order in this session');
    const { merchant, clientOrderId: invoiceId } = order.view;
    const { token } = message.session;
    const go: Proven<PerformCause>['go'] = async () => {
      const choice = await fees.choose(await contexts.open(order.stream, deadline), (path.assignedId ?? '') as GateAlias, request);
      if (choice.kind === 'chosen') return { kind: 'answer', body: { invoiceId, session: { token } } };
      return choice.reason === 'fee-not-offered'
        ? failed(choice.reason, 'INVALID_REQUEST', 'assignedId is none of those offered')
        : failed('fee-not-awaited', 'INVALID_REQUEST', 'The transfer waits for no choice');
    };
    return { kind: 'proven', merchant, go };
  }
}
