import type { EntryPoint } from '@app/configuration';

/** Not part of what was ordered (protocol decisions, section 4). */
const NOT_CONTENT: ReadonlySet<string> = new Set(['control', 'cvv2', 'amount']);

/** What makes two requests equal: entry point, operation, and every field but control and cvv2, the amount in minor units. */
export const contentParts = (operation: string, entryPoint: EntryPoint, message: object, amountMinor: bigint): readonly string[] => {
  const parts = [operation, entryPoint.kind, entryPoint.id, amountMinor.toString()];
  // By name: digests are kept for ever, and the order of a message's fields is the source's.
  const fields = (Object.entries(message) as [string, string | undefined][]).sort(([one], [other]) => (one < other ? -1 : 1));
  for (const [name, value] of fields) {
    if (value !== undefined && !NOT_CONTENT.has(name)) parts.push(name, value);
  }
  return parts;
};
