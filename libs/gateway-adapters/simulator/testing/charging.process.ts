import { createHash } from 'node:crypto';
import { systemClock, type AttemptKey, type OrderId } from '@app/kernel';
import { openSimulatorLedger } from '../ledger/ledger';
import { SimulatorGate } from '../simulator-gate';
import { chargeRequest, gateSettings } from './charges';

/**
 * Test process: charges attempts 0, 1, 2, ... from a shared list and prints each number after its answer.
 * Arguments: the ledger's path, the first attempt, how many.
 */
const attempt = (number: number): { readonly key: AttemptKey; readonly orderId: OrderId } => {
  const letters = createHash('sha256').update(String(number)).digest('hex').replace(/\d/g, 'x');
  return { key: `attempt-${number}` as AttemptKey, orderId: `p${letters.slice(0, 14)}r` as OrderId };
};

const run = async (path: string, first: number, count: number): Promise<void> => {
  const ledger = await openSimulatorLedger(path);
  const gate = new SimulatorGate({
    settings: gateSettings(),
    bins: [],
    clock: systemClock,
    ledger,
    authenticationPageUrl: (key) => `https://gateway.example/${key}`,
  });
  let next = first;
  const worker = async (): Promise<void> => {
    while (next < first + count) {
      const number = next++;
      const { kind } = await gate.charge(chargeRequest({ cvvDigits: '123', ...attempt(number) }));
      process.stdout.write(`${number} ${kind}\n`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  await ledger.close();
};

const IN_FLIGHT = 16;
const [, , path, first, count] = process.argv;
if (path === undefined) throw new Error('which ledger?');
void run(path, Number(first), Number(count));
