import type { ErasureJson } from '@app/investigation/erasure';
import type { OrderSummary } from '@app/read-models/queries';
import type { EventJson, OrderState } from '@app/investigation';
import { trailLines, type Trail } from './order-trail';
import { eventLine } from './field-lines';
import { momentOf, momentQuestion, type MomentOptions } from './moment-option';
import { momentText } from './moment-text';
import { erasureLines } from './erasure-line';
import type { NameOptions } from './one-order';
import { asJson, type Output } from '../terminal/output';
import { printable } from '../terminal/printable';
import { ordersAtPort, type OperatorPort } from './port-orders';

type Shown = OrderSummary & { readonly erasure?: ErasureJson };

/** An order as of a moment, as the port answers. */
interface StateAtPort {
  readonly eventsNow: number;
  readonly state: OrderState;
  readonly events: readonly EventJson[];
}

/** The events that operators' own questions and actions are: `orch audit` shows them. */
const OPERATOR_CATEGORY = 'operator';

const headLines = (order: OrderSummary, { paint }: Output): readonly string[] => [
  `order ${paint('strong', order.orderId)}, merchant ${order.merchant}, client_orderid ${printable(order.clientOrderId)}`,
  `${order.amount} ${order.currency}, ${order.status} (${order.stage}), at ${order.gate ?? '-'}`,
];

/** `orch show` by the running service, which records the question: the order, and what its trail has of its own events. @throws CommandFailed */
export const showAtPort = async (port: OperatorPort, name: string, options: NameOptions & MomentOptions, output: Output): Promise<void> => {
  const moment = momentOf(options);
  for (const [index, { orderId }] of (await ordersAtPort(port, name, options, output)).entries()) {
    if (index > 0 && !output.isJson) output.line('');
    if (moment === undefined) {
      await showNow(port, orderId, output);
      continue;
    }
    const answer = await port.read<StateAtPort>(`/audit/orders/${orderId}/state`, momentQuestion(options));
    if (output.isJson) output.line(asJson(answer));
    else {
      const { state, events, eventsNow } = answer;
      const lines = [...headLines(state, output), `${momentText(moment)}: ${events.length} of its ${eventsNow} events`, ''];
      for (const line of [...lines, ...events.map((event) => eventLine(event, output.paint))]) output.line(line);
    }
  }
};

const showNow = async (port: OperatorPort, orderId: string, output: Output): Promise<void> => {
  const order = await port.read<Shown>(`/orders/${orderId}`);
  const { trail } = await port.read<Trail>(`/audit/orders/${orderId}`, { by: 'orderid' });
  const own = trail.filter(({ category }) => category !== OPERATOR_CATEGORY);
  if (output.isJson) {
    const events = own.map(({ number: _number, category: _category, eventId, causedBy: _causedBy, merchant: _merchant, ...entry }) => ({
      ...entry,
      id: eventId,
    }));
    output.line(asJson({ ...order, events }));
    return;
  }
  const lines = [...headLines(order, output), ...erasureLines(order.erasure), '', ...own.flatMap((entry) => trailLines(entry, output))];
  for (const line of lines) output.line(line);
};
