import type { EntryPoint } from '@app/merchant-accounts';

/** Not part of what was ordered (protocol decisions, section 4). */
const NOT_CONTENT: ReadonlySet<string> = new Set(['control', 'cvv2', 'amount']);

/** What makes two requests equal: entry point, operation, and every field but control and cvv2, the amount in minor units. */
export const contentParts = (operation: string, entryPoint: EntryPoint, message: object, amountMinor: bigint): readonly string[] => {
  const parts = [operation, entryPoint.kind, entryPoint.id, amountMinor.toString()];
  for (const [name, value] of Object.entries(message) as [string, string | undefined][]) {
    if (value !== undefined && !NOT_CONTENT.has(name)) parts.push(name, value);
  }
  return parts;
};
