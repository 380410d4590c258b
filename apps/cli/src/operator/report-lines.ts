import type { TypedReport } from './record-report';

/** The columns of a file of reports, in this order, named by its first line; a value that does not apply is empty. */
const REPORT_COLUMNS = ['order', 'kind', 'case', 'amount', 'currency', 'reason_code', 'stage', 'outcome', 'date'] as const;
type Column = (typeof REPORT_COLUMNS)[number];

export const REPORT_HEADER = REPORT_COLUMNS.join(',');

const KINDS: Readonly<Record<TypedReport['kind'], true>> = { reversal: true, chargeback: true, representment: true, 'fraud-warning': true };
const isKind = (text: string): text is TypedReport['kind'] => Object.hasOwn(KINDS, text);

export type ReadLine = { readonly order: string; readonly report: TypedReport } | { readonly fault: string };

/** One line of the file; what its values may be is the service's to say. No value needs quotes, so that none are taken. */
export const readReportLine = (line: string): ReadLine => {
  if (line.includes('"')) return { fault: 'values stand without quotes' };
  const values = line.split(',').map((value) => value.trim());
  if (values.length !== REPORT_COLUMNS.length) return { fault: `${values.length} values, where ${REPORT_COLUMNS.length} are expected` };
  const of = (column: Column): string => values[REPORT_COLUMNS.indexOf(column)] ?? '';
  const given = (column: Column, member: keyof TypedReport): Partial<TypedReport> => (of(column) === '' ? {} : { [member]: of(column) });
  const kind = of('kind');
  if (!isKind(kind)) return { fault: `kind is one of ${Object.keys(KINDS).join(', ')}` };
  if (of('order') === '') return { fault: 'no order is named' };
  if (of('case') === '') return { fault: 'no case is named' };
  return {
    order: of('order'),
    report: {
      kind,
      case: of('case'),
      ...given('amount', 'amount'),
      ...given('currency', 'currency'),
      ...given('reason_code', 'reasonCode'),
      ...given('stage', 'stage'),
      ...given('outcome', 'outcome'),
      ...given('date', 'date'),
    },
  };
};
