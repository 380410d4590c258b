import { parseAmount, unreachable, type Currency, type GateAlias, type Instant, type Money } from '@app/kernel';
import type { BroughtReport } from '@app/orders';
import type { ReportRequest } from './report.requests';

const DAY_MS = 86_400_000;

type Read<Value> = { readonly ok: Value } | { readonly error: string };

const fail = (error: string): { readonly error: string } => ({ error });

const moneyOf = ({ amount, currency }: ReportRequest): Read<Money | undefined> => {
  if (amount === undefined && currency === undefined) return { ok: undefined };
  if (amount === undefined || currency === undefined) return fail('amount and currency come together');
  const minor = parseAmount(amount);
  if (minor === undefined) return fail('amount must be in major units, such as "10.00"');
  return minor === 0n ? fail('amount must be above zero') : { ok: { minor, currency: currency as Currency } };
};

/** The first moment of the day; a day that is no day of the calendar, or that begins later than now, is refused. */
const instantOf = ({ date }: ReportRequest, now: Instant): Read<Instant | undefined> => {
  if (date === undefined) return { ok: undefined };
  const at = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== date) return fail('date is no day of the calendar');
  return at > now + DAY_MS ? fail('date must not be in the future') : { ok: at as Instant };
};

/** What stands in a request and has no meaning for the kind of report. */
const strayOf = ({ kind, amount, stage, outcome }: ReportRequest): string | undefined => {
  if (stage !== undefined && kind !== 'chargeback' && kind !== 'representment') return `a ${kind} has no stage`;
  if (outcome !== undefined && kind !== 'representment') return `a ${kind} has no outcome`;
  return amount !== undefined && kind === 'representment'
    ? 'a representment has the amount of its chargeback, and none of its own'
    : undefined;
};

/** The report that a request brings, or why it is none. */
export const reportIn = (request: ReportRequest, now: Instant): Read<BroughtReport> => {
  const { kind, case: reportId, reasonCode, stage, outcome, gate } = request;
  const stray = strayOf(request);
  if (stray !== undefined) return fail(stray);
  const [money, happened] = [moneyOf(request), instantOf(request, now)];
  if ('error' in money) return money;
  if ('error' in happened) return happened;
  const [amount, happenedAt] = [money.ok, happened.ok];
  const common = {
    reportId,
    source: gate === undefined ? ('operator' as const) : ('file' as const),
    ...(gate !== undefined && { gate: gate as GateAlias }),
    ...(reasonCode !== undefined && { reasonCode }),
    ...(happenedAt !== undefined && { happenedAt }),
  };
  switch (kind) {
    case 'reversal':
      return amount === undefined ? fail('a reversal has an amount') : { ok: { ...common, kind, amount } };
    case 'chargeback':
      if (amount === undefined) return fail('a chargeback has an amount');
      return { ok: { ...common, kind, amount, ...(stage !== undefined && { stage }) } };
    case 'representment':
      if (outcome === undefined) return fail('a representment has an outcome');
      return { ok: { ...common, kind, outcome, ...(stage !== undefined && { stage }) } };
    case 'fraud-warning':
      return { ok: { ...common, kind, ...(amount !== undefined && { amount }) } };
    default:
      return unreachable(kind);
  }
};
