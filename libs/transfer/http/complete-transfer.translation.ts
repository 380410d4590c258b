import type { GateAlias } from '@app/kernel';
import type { FeeChoice, NamedRequest, OpenOrder, OrderContexts } from '@app/orders';
import type { PerformCause } from '@app/gateway-protocol';
import { failed, type DeviceAnswer, type RequestInSession } from '@app/http/group-b';

export interface CompleteTransferPorts {
  readonly contexts: Pick<OrderContexts, 'open'>;
  readonly fees: {
    choose(open: OpenOrder, gate: GateAlias, request: NamedRequest): Promise<FeeChoice>;
  };
}

/** Complete transfer: the order continues at the gate whose fee the consumer chose (interface, sections 3.2 and 4.2). */
export class CompleteTransferTranslation {
  constructor(private readonly ports: CompleteTransferPorts) {}

  async answer(request: RequestInSession): Promise<DeviceAnswer<PerformCause>> {
    const { order, path, message, deadline } = request;
    const { contexts, fees } = this.ports;
    const choice = await fees.choose(await contexts.open(order.stream, deadline), (path.assignedId ?? '') as GateAlias, request);
    if (choice.kind === 'chosen') {
      return { kind: 'answer', body: { invoiceId: order.view.clientOrderId, session: { token: message.session.token } } };
    }
    return choice.reason === 'fee-not-offered'
      ? failed(choice.reason, 'INVALID_REQUEST', 'assignedId is none of those offered')
      : failed('fee-not-awaited', 'INVALID_REQUEST', 'The transfer waits for no choice');
  }
}
