import type { EntryPoint } from '@app/configuration';

/** A repeat may differ in these. The amount is compared in minor units instead (protocol decisions, D4.7). */
const NOT_CONTENT: ReadonlySet<string> = new Set(['control', 'cvv2', 'amount']);

/** Input of the content digest, equal for repeats of an order (protocol decisions, D4.7). */
export const contentParts = (operation: string, entryPoint: EntryPoint, message: object, amountMinor: bigint): readonly string[] => {
  const parts = [operation, entryPoint.kind, entryPoint.id, amountMinor.toString()];
  // Sorted, since digests are permanent and must not depend on the declared order of fields.
  const fields = (Object.entries(message) as [string, string | undefined][]).sort(([one], [other]) => (one < other ? -1 : 1));
  for (const [name, value] of fields) {
    if (value !== undefined && !NOT_CONTENT.has(name)) parts.push(name, value);
  }
  return parts;
};
