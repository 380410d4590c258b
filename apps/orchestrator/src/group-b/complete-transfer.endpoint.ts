import type { Accounts } from '@app/merchant-accounts';
import type { ClientOrderId, GateAlias, MerchantLogin } from '@app/kernel';
import { SessionRequest, type PerformCause } from '@app/gateway-protocol';
import { failed, type DeviceEndpoint, type DeviceRequest, type Failed, type FailureName, type Proven } from './device-endpoint';
import type { DeviceOrders } from './order-status/device-orders';

/** The consumer's choice among the fees; the application's handler. */
export interface ChoosesFees {
  handle(request: {
    readonly merchant: MerchantLogin;
    readonly invoiceId: ClientOrderId;
    readonly gate: GateAlias;
    readonly serial: string;
  }): Promise<FeeChoice>;
}
export type FeeChoice = { readonly reason: 'chosen' } | { readonly reason: 'fee-not-awaited' | 'fee-not-offered' };

export interface CompleteTransferPorts {
  readonly accounts: Accounts;
  readonly orders: DeviceOrders;
  readonly fees: ChoosesFees;
}

const REFUSALS: Readonly<Record<Exclude<FeeChoice['reason'], 'chosen'>, readonly [name: FailureName, message: string]>> = {
  'fee-not-awaited': ['fee-not-awaited', 'The transfer waits for no choice'],
  'fee-not-offered': ['fee-not-offered', 'assignedId is none of those offered'],
};

/** Complete transfer: the order goes on at the gate that the consumer chose, once (interface, sections 3.2 and 4.2). */
export class CompleteTransferEndpoint implements DeviceEndpoint<SessionRequest, PerformCause> {
  readonly name = 'complete-transfer';
  readonly message = SessionRequest;

  constructor(private readonly ports: CompleteTransferPorts) {}

  async prove({ path, message, serial, receivedAt }: DeviceRequest<SessionRequest>): Promise<Proven<PerformCause> | Failed<PerformCause>> {
    const { accounts, orders, fees } = this.ports;
    const login = accounts.entryPoint('endpoint', path.endpointId)?.merchant;
    const order = await orders.find('transfer', { merchant: login, ...path }, message.session, receivedAt);
    if (order === undefined) return failed('unknown-order', 'INVALID_REQUEST', 'No such order in this session');
    const { merchant, clientOrderId: invoiceId } = order.view;
    const { token } = message.session;
    const go: Proven<PerformCause>['go'] = async () => {
      const choice = await fees.handle({ merchant, invoiceId, gate: (path.assignedId ?? '') as GateAlias, serial });
      if (choice.reason === 'chosen') return { kind: 'answer', body: { invoiceId, session: { token } } };
      const [name, text] = REFUSALS[choice.reason];
      return failed(name, 'INVALID_REQUEST', text);
    };
    return { kind: 'proven', merchant, go };
  }
}
