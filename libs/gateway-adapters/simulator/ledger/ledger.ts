import { join } from 'node:path';
import type { AttemptKey, GateAlias, Instant } from '@app/kernel';
import { GroupedWriter, openDatabase, type WriterBroken } from '@app/databases/sqlite';
import type { LedgerJob, LedgerResult } from './ledger.jobs';
import type { FollowUpClaim } from './follow-up-balance';
import type { AskedFollowUp, FollowUpTransaction, Transaction, Verdict } from './transaction';
import { followUpRowOf, followUpTransactionOf, type FollowUpRow, stateColumns } from './follow-up.schema';
import { rowOf, transactionOf, type TransactionRow } from './ledger.schema';

/** Each attempt starts a thread, which takes long enough for the other process to finish. */
export const OPEN_TRIES_MAX = 10;

const LOCKED = /database is locked/;

/**
 * While SQLite switches a new file to WAL, it rejects a second process as "locked" at once, without the busy timeout.
 * Rethrows any other error, and the last of these.
 */
export const openContended = async <Opened>(open: () => Promise<Opened>): Promise<Opened> => {
  for (let triesLeft = OPEN_TRIES_MAX - 1; ; triesLeft--) {
    try {
      return await open();
    } catch (error) {
      if (triesLeft === 0 || !(error instanceof Error && LOCKED.test(error.message))) throw error;
    }
  }
};

/**
 * The simulated acquirer's ledger, durable before each answer. One file serves many gates and processes; it contains no card number and no
 * CVV.
 */
export interface SimulatorLedger {
  /**
   * Records the request, and the transaction if its key is new at the gate. Returns the transaction recorded under the key.
   * @throws WriteRefused (nothing was recorded), WriterBroken
   */
  charge(transaction: Transaction): Promise<Transaction>;
  /**
   * Records the request, and the verdict if the payer is pending.
   * @throws WriteRefused (nothing was recorded), WriterBroken
   */
  complete(gate: GateAlias, key: AttemptKey, verdict: Verdict, at: Instant): Promise<Transaction | undefined>;
  /**
   * Records the request, and its outcome if the balance allows it; otherwise undefined.
   * @throws WriteRefused (nothing was recorded), WriterBroken
   */
  followUp(asked: FollowUpAsked): Promise<FollowUpTransaction | undefined>;
  findFollowUp(gate: GateAlias, key: AttemptKey): FollowUpTransaction | undefined;
  find(gate: GateAlias, key: AttemptKey): Transaction | undefined;
  /** Resolves when every submitted job is written. Idempotent. */
  close(): Promise<void>;
}

interface FollowUpAsked extends Omit<FollowUpTransaction, 'operation'>, Pick<FollowUpClaim, 'isPartCaptured' | 'isPartReturned'> {
  readonly asked: AskedFollowUp;
}

export interface LedgerOptions {
  /** Called once, when the file becomes unwritable: outcomes of later requests are unknown. */
  readonly onBroken?: (error: WriterBroken) => void;
}

export const openSimulatorLedger = async (path: string, { onBroken }: LedgerOptions = {}): Promise<SimulatorLedger> => {
  const writer = await openContended(() =>
    GroupedWriter.open<LedgerJob, LedgerResult>({
      path,
      workerFile: join(__dirname, 'ledger.worker'),
      callerFile: __filename,
      ...(onBroken === undefined ? {} : { onBroken }),
    }),
  );
  const reader = openDatabase(path, { readOnly: true });
  const byKey = reader.prepare('SELECT * FROM transactions WHERE key = ? AND gate = ?');
  const followUpByKey = reader.prepare('SELECT * FROM follow_ups WHERE key = ? AND gate = ?');
  let closing: Promise<void> | undefined;
  return {
    charge: async (transaction) => {
      const row = await writer.submit({ kind: 'charge', row: rowOf(transaction) });
      if (row === null) throw new Error(`attempt ${transaction.key} was recorded and is not there`);
      return transactionOf(row as TransactionRow);
    },
    complete: async (gate, key, verdict, at) => {
      const columns = stateColumns({ ...verdict, decidedAt: at });
      const row = await writer.submit({ kind: 'complete', gate, key, receivedAt: at, verdict: columns });
      return row === null ? undefined : transactionOf(row as TransactionRow);
    },
    followUp: async ({ asked, isPartCaptured, isPartReturned, ...transaction }) => {
      // Placeholder, never written: the balance decides the operation.
      const { operation: _, ...row } = followUpRowOf({ ...transaction, operation: 'capture' });
      const { amount, createdAt } = transaction;
      const claim = {
        asked,
        amountMinor: amount.minor,
        currency: amount.currency,
        receivedAtMs: createdAt,
        isPartCaptured,
        isPartReturned,
      };
      const recorded = await writer.submit({ kind: 'follow-up', claim, row });
      return recorded === null ? undefined : followUpTransactionOf(recorded as FollowUpRow);
    },
    findFollowUp: (gate, key) => {
      const row = followUpByKey.get(key, gate) as unknown as FollowUpRow | undefined;
      return row === undefined ? undefined : followUpTransactionOf(row);
    },
    find: (gate, key) => {
      const row = byKey.get(key, gate) as unknown as TransactionRow | undefined;
      return row === undefined ? undefined : transactionOf(row);
    },
    close: () => {
      closing ??= (async () => {
        reader.close();
        await writer.close();
      })();
      return closing;
    },
  };
};
