import { createHash } from 'node:crypto';
import { isLuhnValid, type AttemptKey, type GateAlias, type OrderId } from '@app/kernel';

/** The references of one transaction, the same whenever and from whichever process they are asked for. */
export interface SimulatedReferences {
  readonly transactionId: string;
  /** 12 digits that are no card number: their check digit is wrong. */
  readonly rrn: string;
  /** 8 characters; the gate has one terminal. */
  readonly terminalId: string;
  /** 6 characters. */
  readonly approvalCode: string;
}

const numberOf = (...parts: readonly string[]): bigint => createHash('sha256').update(parts.join('\n')).digest().readBigUInt64BE();
const characters = (from: bigint, length: number): string =>
  (from % 36n ** BigInt(length)).toString(36).toUpperCase().padStart(length, '0');

const rrnOf = (key: AttemptKey): string => {
  const digits = (numberOf('rrn', key) % 10n ** 12n).toString().padStart(12, '0');
  if (!isLuhnValid(digits)) return digits;
  return `${digits.slice(0, -1)}${(Number(digits.slice(-1)) + 1) % 10}`;
};

export const acquirerReferences = (gate: GateAlias, key: AttemptKey, orderId: OrderId): SimulatedReferences => ({
  transactionId: `PNTEST-${orderId}`,
  rrn: rrnOf(key),
  terminalId: characters(numberOf('terminal', gate), 8),
  approvalCode: characters(numberOf('approval', key), 6),
});
