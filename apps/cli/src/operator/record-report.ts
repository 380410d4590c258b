import type { StreamName } from '@app/event-store';
import { findPage, type OrderSummary } from '@app/read-models/queries';
import { CommandFailed, EXIT } from '../command-failed';
import { askOperatorPort, claimOf } from '../service/operator-port';
import { operatorToken } from '../service/operator-token';
import { withOrders, type OrderVerb } from '../order/named-orders';
import { findOrder } from '../order/find-order';
import { nameKindOf, oneOrder, severalStreams, type NameOptions } from '../order/one-order';
import { orderView } from '../order/order-view';
import { asJson, type Output } from '../terminal/output';
import { printable } from '../terminal/printable';

/** A report as the operator port takes it, without order and person. */
export interface TypedReport {
  readonly kind: 'reversal' | 'chargeback' | 'representment' | 'fraud-warning';
  readonly case: string;
  readonly amount?: string;
  readonly currency?: string;
  readonly reasonCode?: string;
  readonly stage?: string;
  readonly outcome?: string;
  readonly date?: string;
  /** The alias of the gate whose file it stands in. */
  readonly gate?: string;
}

export type ReportAnswer =
  | { readonly order: Pick<OrderSummary, 'orderId' | 'stage' | 'reports'>; readonly isKnown: boolean }
  /** It came from a file and does not fit the order. */
  | { readonly setAside: string };

/**
 * A gate names an order by its own reference more often than by our id. Where orders of several merchants have the name, a file of a gate means the one
 * that was to go there. @throws CommandFailed where the name is that of no order, or of several
 */
const orderNamed = async (verb: OrderVerb, name: string, gate: string | undefined, options: NameOptions): Promise<StreamName> => {
  const { readers, merchants } = verb;
  if (nameKindOf(options) !== undefined) return oneOrder(verb, name, options);
  const text = name.trim();
  const page = await findPage({ log: readers.log, readModel: readers.readModel, merchants }, text);
  // The index may lack an order that the log has.
  const indexed = (page?.found ?? []).map(({ stream }) => stream);
  const found = await findOrder(readers, text, merchants, undefined, indexed);
  const [first, ...others] = found;
  if (first === undefined) return oneOrder(verb, name, options);
  if (others.length === 0) return first;
  const atGate: StreamName[] = [];
  if (gate !== undefined) for (const stream of found) if (await isPlannedAt(verb, stream, gate)) atGate.push(stream);
  const [only, ...rest] = atGate;
  if (only !== undefined && rest.length === 0) return only;
  throw new CommandFailed(await severalStreams(readers.log, text, found), EXIT.usage);
};

const isPlannedAt = async ({ readers }: OrderVerb, stream: StreamName, gate: string): Promise<boolean> => {
  const view = await orderView(readers.log, stream);
  return view?.gates.some(({ alias }) => alias === gate) === true;
};

/** Has the running service record a report of the order of this name. @throws CommandFailed */
export const sendReport = async (
  verb: OrderVerb,
  name: string,
  report: TypedReport,
  { actor, ...options }: NameOptions & { readonly actor?: string | undefined } = {},
): Promise<ReportAnswer> => {
  const view = await orderView(verb.readers.log, await orderNamed(verb, name, report.gate, options));
  if (view === undefined) throw new CommandFailed('the order cannot be read');
  const action = { ...report, ...claimOf(actor), merchant: view.merchant };
  const token = operatorToken(process.env, verb.environment);
  return (await askOperatorPort(verb.environment, token, `/orders/${view.orderId}/reports`, action)) as ReportAnswer;
};

export interface ReportOptions extends Omit<TypedReport, 'kind' | 'outcome' | 'gate'>, NameOptions {
  readonly actor?: string;
}

const WORDS: Readonly<Record<TypedReport['kind'], string>> = {
  reversal: 'reversal',
  chargeback: 'chargeback',
  representment: 'representment',
  'fraud-warning': 'fraud warning',
};

/** `orch chargeback` and `orch dispute`: the running service records what came on paper. @throws CommandFailed */
export const recordReport = async (
  name: string,
  kind: TypedReport['kind'],
  { merchant, orderid, clientOrderid, actor, ...typed }: ReportOptions & Pick<TypedReport, 'outcome'>,
  output: Output,
): Promise<void> =>
  withOrders(merchant, async (verb) => {
    const answer = await sendReport(
      verb,
      name,
      { kind, ...typed },
      { actor, ...(orderid && { orderid }), ...(clientOrderid && { clientOrderid }) },
    );
    if ('setAside' in answer) throw new CommandFailed(`set aside: ${answer.setAside}`);
    if (output.isJson) return output.line(asJson(answer));
    const { order, isKnown } = answer;
    const what = `${WORDS[kind]} ${printable(typed.case)}`;
    output.line(
      isKnown ? `${what} was recorded before: nothing is changed` : `${what} is recorded; order ${order.orderId} is ${order.stage}`,
    );
    const newest = order.reports.at(-1);
    if (!isKnown && newest?.isAboveTaken === true) output.problem('more has gone back by now than was taken: ask the gate');
  });
