import { orderSummary, type OrderSummary } from '@app/read-models/queries';
import type { OrderStatusView } from '@app/read-models';
import { asJson, type Output } from '../terminal/output';
import { printable } from '../terminal/printable';

/** Shows one order a line, for people or for programs, with `more` at its end. */
export const writeOrder = (view: OrderStatusView, output: Output, more: { readonly by?: readonly string[] } = {}): void =>
  writeSummary(orderSummary(view), output, more);

export const writeSummary = (summary: OrderSummary, output: Output, more: { readonly by?: readonly string[] } = {}): void => {
  if (output.isJson) {
    output.line(asJson({ ...summary, ...more }));
    return;
  }
  const { orderId, merchant, clientOrderId, amount, currency, status, stage, gate, acceptedAt, followUps } = summary;
  const by = more.by === undefined ? '' : `, found by ${more.by.join(', ')}`;
  output.line(
    `${output.paint('strong', orderId)}  ${merchant}  ${printable(clientOrderId)}  ${amount} ${currency}  ${status} (${stage})  ${gate ?? '-'}  ${acceptedAt}${by}`,
  );
  // `unknown resolve --follow-up` needs this number.
  for (const { number, operation, amount: sum, acceptedAt: askedAt, ...followUp } of followUps) {
    if (followUp.status === 'unknown') output.line(`  follow-up ${number}: ${operation} ${sum} ${currency}  unknown  ${askedAt}`);
  }
};
