import { type Instant, formatAmount, type GateAlias } from '@app/kernel';
import { type Period, type FieldDifference, type Finding, caseRequestOf, type CaseRequestBody, type CaseSource } from '@app/reconciliation';
import { CommandFailed, EXIT, type Paint, printable } from '../terminal';
import { instantText } from '../orders/moments';
import { claimOf, type OperatorPort } from '../operator-port';

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?Z$/;

const momentOf = (option: string, text: string): number => {
  const at = DAY.test(text) || MOMENT.test(text) ? Date.parse(text) : NaN;
  // Date.parse accepts 31 February as 3 March.
  const isReal = !Number.isNaN(at) && new Date(at).toISOString().startsWith(text.slice(0, DAY_LENGTH));
  if (!isReal) throw new CommandFailed(`${option} must be a day or a time in UTC, such as 2026-11-24 or 2026-11-24T08:30Z`, EXIT.usage);
  return at;
};
const DAY_LENGTH = 10;

export const periodOf = ({ from, to }: { readonly from?: string; readonly to?: string }): Partial<Period> => {
  const first = from === undefined ? undefined : momentOf('--from', from);
  const last = to === undefined ? undefined : momentOf('--to', to) + (DAY.test(to) ? DAY_MS : 0);
  if (first !== undefined && last !== undefined && first >= last) throw new CommandFailed('--from must be before --to', EXIT.usage);
  return {
    ...(first !== undefined && { from: first as Instant }),
    ...(last !== undefined && { before: last as Instant }),
  };
};

export interface ReconcileOptions {
  readonly gate?: string;
  readonly file?: string;
  readonly earlier?: readonly string[];
  readonly poll?: true;
  readonly from?: string;
  readonly to?: string;
  readonly after?: string;
  readonly dryRun?: true;
  readonly actor?: string;
}

export type Outcome = 'agrees' | 'differs' | 'set-aside' | 'nothing-compared';

/** A difference takes precedence over rows that were not compared. */
export const EXIT_BY_OUTCOME: Readonly<Record<Outcome, number>> = {
  agrees: 0,
  differs: 1,
  'set-aside': EXIT.refused,
  'nothing-compared': EXIT.usage,
};

export type ShownFinding = Exclude<Finding, { readonly kind: 'matched' }>;

const differenceText = ({ field, ours = '-', theirs = '-' }: FieldDifference): string =>
  `${field} ${printable(ours)} here, ${printable(theirs)} there`;

const orderText = (order: { readonly orderId: string; readonly merchant: string } | undefined): string =>
  order === undefined ? 'no order of ours' : `order ${order.orderId} of ${order.merchant}`;

const sumText = (minor: bigint, currency: string): string => `${formatAmount(minor)} ${currency}`;

const doubledText = ({ first, earlierFile }: Extract<ShownFinding, { readonly kind: 'duplicate' }>): string =>
  `as line ${first}${earlierFile === undefined ? '' : ` of ${printable(earlierFile)}`}`;

export const KIND_WIDTH = 'missing-there'.length;

/** A difference that the service found by asking the gate. */
export const renderAnswered = ({ kind, order, operation, differences }: CaseRequestBody, paint: Paint): string =>
  [paint('bad', kind.padEnd(KIND_WIDTH)), orderText(order), operation, differences.map(differenceText).join('; ')].join('  ');

export const renderFinding = (finding: ShownFinding, paint: Paint): string => {
  const kind = paint('bad', finding.kind.padEnd(KIND_WIDTH));
  if (finding.kind === 'missing-there') {
    const { ours, order } = finding;
    const sum = sumText(BigInt(ours.amountMinor), ours.currency);
    return [kind, orderText(order), `${ours.operation} of ${sum}`, instantText(ours.processedAt ?? ours.askedAt), ours.key ?? ''].join(
      '  ',
    );
  }
  const { line } = finding;
  const said = `${line.operation} of ${sumText(line.amount.minor, line.amount.currency)} ${line.status}`;
  const place = `line ${line.line}`;
  switch (finding.kind) {
    case 'different':
      return [kind, place, orderText(finding.order), finding.ours.operation, finding.differences.map(differenceText).join('; ')].join('  ');
    case 'missing-here':
      return [kind, place, orderText(finding.order), said, printable(line.original)].join('  ');
    case 'duplicate':
      return [kind, place, orderText(finding.order), said, doubledText(finding)].join('  ');
  }
};

/** Limits of the service per request, which contains other members too. */
const CASES_AT_ONCE = 20;
const CASES_BYTES = 15_000;

interface CasesOpener {
  readonly port: OperatorPort;
  readonly gate: GateAlias;
  readonly source: CaseSource;
  readonly actor: string | undefined;
}

/** Opens cases through the running service, the only writer. A repeated difference finds its case. */
export class OpenedCases {
  #waiting: CaseRequestBody[] = [];
  #waitingBytes = 0;
  #opened = 0;
  #known = 0;

  constructor(private readonly opener: CasesOpener) {}

  async add(found: ShownFinding, fileDigest?: string): Promise<void> {
    const { gate, source } = this.opener;
    await this.addRequest(caseRequestOf(found, { gate, source }), fileDigest);
  }

  async addRequest(request: CaseRequestBody, fileDigest?: string): Promise<void> {
    const bytes = Buffer.byteLength(JSON.stringify(request)) + 1;
    if (this.#waitingBytes + bytes > CASES_BYTES) await this.flush(fileDigest);
    this.#waiting.push(request);
    this.#waitingBytes += bytes;
    if (this.#waiting.length >= CASES_AT_ONCE) await this.flush(fileDigest);
  }

  async flush(fileDigest?: string): Promise<{ readonly opened: number; readonly known: number }> {
    const cases = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    if (cases.length > 0) {
      const { port, gate, source, actor } = this.opener;
      const action = { gate, source, ...(fileDigest !== undefined && { fileDigest }), cases, ...claimOf(actor) };
      const answer = await port.ask<{ readonly cases: readonly { readonly isNew: boolean }[] }>('/reconciliation/cases', action);
      const opened = answer.cases.filter(({ isNew }) => isNew).length;
      this.#opened += opened;
      this.#known += answer.cases.length - opened;
    }
    return { opened: this.#opened, known: this.#known };
  }
}
