import type { OrderListFilter } from '@app/read-models';
import type { Notice } from './notice';

/** What an order may be named by. Each of them narrows the list further. */
export const IDENTIFIER_KINDS = [
  'order',
  'clientOrderId',
  'invoiceId',
  'correlation',
  'cardReference',
  'card',
  'receipt',
  'rrn',
  'reference',
  'approvalCode',
  'cardMask',
  'email',
  'operator',
] as const;
export type IdentifierKind = (typeof IDENTIFIER_KINDS)[number];
export type Identifiers = Readonly<Partial<Record<IdentifierKind, string>>>;

/** A question for a list of orders: all of it must apply. */
export interface ListQuestion {
  readonly filter: OrderListFilter;
  readonly identifiers: Identifiers;
  readonly notice?: Notice;
}

/** The question's parts by name and value, in the order of their names, so that equal questions have equal parts. */
export const questionParts = ({ filter, identifiers, notice }: ListQuestion): readonly (readonly [name: string, value: string])[] =>
  Object.entries({ ...filter, ...identifiers, ...notice })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, String(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
