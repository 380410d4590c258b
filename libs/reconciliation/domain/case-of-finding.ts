import { present, type GateAlias } from '@app/kernel';
import type { CaseOpened, CaseOrder, CaseSource, GateRecord } from './case';
import type { Finding, NumberedLine, OrderName, OwnTransaction } from './compare';

export interface Made {
  readonly gate: GateAlias;
  readonly source: CaseSource;
  readonly fileDigest?: string;
}

const wordOf = ({ status, amount, commissionMinor, processedAt, reference, line }: NumberedLine): GateRecord => ({
  status,
  amount,
  processedAt,
  line,
  // A gate may send no reference.
  ...present({ commissionMinor, reference: reference === '' ? undefined : reference }),
});

const orderOf = ({ orderId, merchant }: OrderName, ours?: OwnTransaction): { readonly order: CaseOrder } => ({
  order: { orderId, merchant, ...(ours?.followUp != null && { followUp: ours.followUp }) },
});

export const caseOf = (
  finding: Exclude<Finding, { readonly kind: 'matched' }>,
  { gate, source, fileDigest }: Made,
): Omit<CaseOpened['data'], 'openedAt'> => {
  const made = { gate, kind: finding.kind, source, ...present({ fileDigest }) };
  switch (finding.kind) {
    case 'missing-there': {
      const { ours, order } = finding;
      const { original, key, operation } = ours;
      return { ...made, original, operation, differences: [], ...(key !== null && { key }), ...orderOf(order, ours) };
    }
    case 'different': {
      const { ours, line, order, differences } = finding;
      const { original, key, operation } = ours;
      return { ...made, original, operation, differences, told: wordOf(line), ...(key !== null && { key }), ...orderOf(order, ours) };
    }
    case 'missing-here':
    case 'duplicate': {
      const { line, order } = finding;
      const { original, key, operation } = line;
      return { ...made, original, operation, differences: [], told: wordOf(line), ...present({ key }), ...(order && orderOf(order)) };
    }
  }
};

/** Identity of a case: the transaction and the difference, but neither file nor time. */
export const nameOfCase = ({
  gate,
  kind,
  original,
  key,
  operation,
  told,
  differences,
}: Omit<CaseOpened['data'], 'openedAt'>): readonly string[] => [
  gate,
  kind,
  original,
  key ?? told?.reference ?? '',
  operation,
  ...differences.flatMap(({ field, theirs }) => [field, theirs ?? '']),
];
