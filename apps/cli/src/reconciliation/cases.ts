import { formatAmount } from '@app/kernel';
import { packageRoot, readEnvironment } from '@app/configuration';
import type { ReconciliationCaseRecord, ReconciliationCaseView } from '@app/read-models';
import { caseIdOf, caseStream, isCaseId } from '@app/reconciliation';
import { CommandFailed, EXIT } from '../command-failed';
import { askOperatorPort, claimOf } from '../service/operator-port';
import { operatorToken } from '../service/operator-token';
import { openOrderReaders, type OrderReaders } from '../order/order-readers';
import { asJson, listing, type Output } from '../terminal/output';
import { printable } from '../terminal/printable';
import { instantText } from '../order/instant-text';

export interface CasesOptions {
  readonly gate?: string;
  readonly all?: true;
}

export interface CaseActionOptions {
  readonly reason: string;
  readonly actor?: string;
}

const LISTED_MAX = 1_000;

const withReadModel = async <Result>(run: (readModel: NonNullable<OrderReaders['readModel']>) => Promise<Result>): Promise<Result> => {
  const readers = await openOrderReaders(readEnvironment(process.env, packageRoot()));
  try {
    if (readers.readModel === undefined) throw new CommandFailed('the read model was never built: start the service, or orch rebuild');
    return await run(readers.readModel);
  } finally {
    await readers.close();
  }
};

const orderText = ({ order }: ReconciliationCaseView): string =>
  order === undefined
    ? 'no order of ours'
    : `order ${order.orderId} of ${order.merchant}${order.followUp === undefined ? '' : `, follow-up ${order.followUp}`}`;

/** `orch reconcile cases`: the open ones, the oldest first; reads beside a running service. */
export const listCases = ({ gate, all }: CasesOptions, terminal: Output): Promise<void> =>
  listing(terminal, (output) =>
    withReadModel(async ({ reconciliationCases }) => {
      for (const record of await reconciliationCases.list({ gate, isOpen: all !== true, limit: LISTED_MAX })) showLine(record, output);
    }),
  );

const showLine = ({ stream, view }: ReconciliationCaseRecord, output: Output): void => {
  const caseId = caseIdOf(stream);
  if (output.isJson) return output.line(asJson({ caseId, ...view }));
  const differences = view.differences.map(({ field }) => field).join(', ');
  const columns = [
    output.paint('strong', caseId),
    view.gate,
    view.kind,
    view.operation,
    orderText(view),
    differences,
    instantText(view.openedAt),
  ];
  output.line([...columns, view.status].filter((text) => text !== '').join('  '));
};

/** `orch reconcile show <case>`: what differs, and what the gate said. */
export const showCase = (caseId: string, output: Output): Promise<void> =>
  withReadModel(async ({ reconciliationCases }) => {
    const record = isCaseId(caseId) ? await reconciliationCases.byStream(caseStream(caseId)) : undefined;
    if (record === undefined) throw new CommandFailed('there is no such case', EXIT.notFound);
    const { view } = record;
    if (output.isJson) return output.line(asJson({ caseId, ...view }));
    showLine(record, output);
    output.line(
      `  attempt ${printable(view.original)}${view.key === undefined || view.key === view.original ? '' : `, request ${printable(view.key)}`}`,
    );
    for (const { field, ours = '-', theirs = '-' } of view.differences)
      output.line(`  ${field.padEnd('gate-order-id'.length)}  ${printable(ours)} here, ${printable(theirs)} there`);
    const { told } = view;
    if (told === null) output.line('  the gate does not mention it');
    else {
      const sum = told.amountMinor === undefined ? '' : ` ${formatAmount(BigInt(told.amountMinor))} ${told.currency ?? ''}`;
      const at = told.processedAt === undefined ? '' : `, ${instantText(told.processedAt)}`;
      const place = told.line === undefined ? '' : `, line ${told.line} of ${view.fileDigest ?? 'a file'}`;
      output.line(`  the gate says ${told.status}${sum}${at}${place}`);
    }
    output.line(`  opened by ${view.openedBy}${view.closedBy === null ? '' : `, closed by ${view.closedBy}`}`);
  });

const done = async (caseId: string, path: 'closing' | 'application', { reason, actor }: CaseActionOptions): Promise<unknown> => {
  if (!isCaseId(caseId)) throw new CommandFailed('there is no such case', EXIT.notFound);
  const environment = readEnvironment(process.env, packageRoot());
  const token = operatorToken(process.env, environment);
  return askOperatorPort(environment, token, `/reconciliation/cases/${caseId}/${path}`, { reason, ...claimOf(actor) });
};

/** `orch reconcile close <case>`: a person looked at it, and nothing is to be changed here. @throws CommandFailed */
export const closeCase = async (caseId: string, options: CaseActionOptions, output: Output): Promise<void> => {
  const answer = await done(caseId, 'closing', options);
  output.line(output.isJson ? asJson(answer) : 'the case is closed');
};

const EFFECTS: Readonly<Record<string, string>> = {
  reconciled: 'the final status is changed to',
  resolved: 'the outcome, which was open, is',
  'held-already': 'nothing was to be changed, it already is',
};

/** `orch reconcile apply <case>`: the running service changes the order as the gate says. @throws CommandFailed */
export const applyCase = async (caseId: string, options: CaseActionOptions, output: Output): Promise<void> => {
  const answer = (await done(caseId, 'application', options)) as { readonly to: string; readonly effect: string };
  output.line(output.isJson ? asJson(answer) : `${EFFECTS[answer.effect] ?? answer.effect} ${answer.to}`);
};
