import type { GateAlias } from '@app/kernel';
import type { OrchestratorEnvironment } from '@app/configuration';
import type { ConfiguredGate } from '@app/gateway-adapters/registry';
import type { CaseRequestBody } from '@app/reconciliation';
import { CommandFailed, EXIT } from '../command-failed';
import { askOperatorPort, claimOf } from '../service/operator-port';
import { operatorToken } from '../service/operator-token';
import { asJson, type Output } from '../terminal/output';
import { printable } from '../terminal/printable';
import { OpenedCases } from './opened-cases';
import { periodOf } from './period';
import { EXIT_BY_OUTCOME, type ReconcileOptions } from './reconcile-options';

/** A gate may answer each of a page's inquiries only when its time is nearly over. */
const PAGE_TIMEOUT_MS = 600_000;

interface AskedPage {
  readonly asked: number;
  readonly matched: number;
  readonly notTold: number;
  readonly differences: readonly CaseRequestBody[];
  readonly next?: string;
}

/** The service asks the gate, page by page, since it alone has the gate's keys; where it is stopped, `--after` goes on. */
export const poll = async (
  gate: ConfiguredGate,
  options: ReconcileOptions,
  environment: OrchestratorEnvironment,
  output: Output,
): Promise<number> => {
  const { from, before } = periodOf(options);
  if (from === undefined || before === undefined) throw new CommandFailed('--poll needs --from and --to', EXIT.usage);
  const alias = gate.alias;
  const token = operatorToken(process.env, environment);
  const cases =
    options.dryRun === true ? undefined : new OpenedCases({ environment, token, gate: alias, source: 'inquiry', actor: options.actor });
  const counts = { asked: 0, matched: 0, notTold: 0, different: 0 };
  for (let after = options.after; ;) {
    const action = { gate: alias, from, before, ...(after !== undefined && { after }), ...claimOf(options.actor) };
    const page = (await askOperatorPort(environment, token, '/reconciliation/inquiries', action, PAGE_TIMEOUT_MS)) as AskedPage;
    counts.asked += page.asked;
    counts.matched += page.matched;
    counts.notTold += page.notTold;
    counts.different += page.differences.length;
    for (const found of page.differences) {
      showFound(found, output);
      await cases?.addRequest(found);
    }
    // What was shown has its case before the place is: whoever goes on from there misses none.
    const made = await cases?.flush();
    if (page.next === undefined) {
      showSummary(alias, counts, made, output);
      if (counts.different > 0) return EXIT_BY_OUTCOME.differs;
      // Behind the place where it goes on, nothing may be left: what the command compared before that, it has shown then.
      if (counts.matched > 0 || (counts.asked === 0 && options.after !== undefined)) return EXIT_BY_OUTCOME.agrees;
      output.problem(
        `nothing was compared: ${counts.asked === 0 ? 'no transaction of the gate is of that period' : 'the gate told no outcome'}`,
      );
      return EXIT_BY_OUTCOME['nothing-compared'];
    }
    after = page.next;
    if (output.isJson) output.line(asJson({ after }));
    else output.line(output.paint('faint', `so far ${counts.asked} asked; to go on from here: --after ${after}`));
  }
};

const showFound = (found: CaseRequestBody, output: Output): void => {
  if (output.isJson) return output.line(asJson({ finding: found }));
  const order = found.order === undefined ? 'no order of ours' : `order ${found.order.orderId} of ${found.order.merchant}`;
  const differences = found.differences.map(
    ({ field, ours = '-', theirs = '-' }) => `${field} ${printable(ours)} here, ${printable(theirs)} there`,
  );
  output.line([output.paint('bad', found.kind.padEnd('missing-there'.length)), order, found.operation, differences.join('; ')].join('  '));
};

const showSummary = (
  gate: GateAlias,
  counts: Readonly<Record<'asked' | 'matched' | 'notTold' | 'different', number>>,
  cases: { readonly opened: number; readonly known: number } | undefined,
  output: Output,
): void => {
  if (output.isJson) return output.line(asJson({ summary: { gate, counts, cases: cases ?? null } }));
  const { asked, matched, notTold, different } = counts;
  output.line(`gate ${gate}: ${asked} asked, ${matched} matched, ${different} different, ${notTold} not told`);
  if (cases !== undefined) output.line(`${cases.opened} cases opened, ${cases.known} known before`);
};
