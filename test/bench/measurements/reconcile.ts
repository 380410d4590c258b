import { join } from 'node:path';
import type { Findings } from '../harness/figure';
import { askOnce } from '../harness/program';
import { ROUNDS } from '../harness/rounds';
import { inWorkFolder } from '../harness/work-folder';
import type { CompareSettlement, FillSettlement, SettlementCompared } from '../load/settlement';

const LINES = 1_000_000;
const FILL_TIMEOUT_MS = 900_000;
const TIMEOUT_MS = 300_000;
const MS_PER_SECOND = 1_000;

/** Measures a settlement file of a day beside the read model of as many orders. */
export const reconcile = (): Promise<Findings> =>
  inWorkFolder(async (folder) => {
    const path = join(folder.path, 'settled.sqlite');
    const csv = join(folder.path, 'settled.csv');
    await askOnce<FillSettlement, unknown>('reconciliation', { kind: 'fill', path, csv, orders: LINES }, FILL_TIMEOUT_MS);
    const rounds: SettlementCompared[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const compared = await askOnce<CompareSettlement, SettlementCompared>('reconciliation', { kind: 'compare', path, csv }, TIMEOUT_MS);
      if (compared.matched !== LINES) throw new Error(`${compared.matched} of ${LINES} lines matched`);
      rounds.push(compared);
    }
    const rateBy = (ms: (compared: SettlementCompared) => number): readonly number[] =>
      rounds.map((compared) => (compared.lines * MS_PER_SECOND) / ms(compared));
    return {
      figures: [
        { name: 'lines reconciled', unit: '/s', rounds: rateBy(({ elapsedMs }) => elapsedMs), bound: { kind: 'at-least', asked: 50_000 } },
        { name: 'lines reconciled a second of CPU', unit: '/s', rounds: rateBy(({ cpuMs }) => cpuMs) },
        {
          name: 'memory resident at most',
          unit: 'MiB',
          rounds: rounds.map(({ residentMaxMib }) => residentMaxMib),
          bound: { kind: 'at-most', asked: 512 },
        },
      ],
      notes: [
        `${LINES.toLocaleString('en')} lines of the simulator's settlement file, each of one order of a read model in SQLite with as many; every line matches. Read, divided over temporary files and compared by one process, as \`orch reconcile --dry-run\` does it.`,
      ],
    };
  });
