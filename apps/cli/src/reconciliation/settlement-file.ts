import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import type { StreamName } from '@app/event-store';
import { formatAmount, type GateAlias, type Instant, type MerchantLogin } from '@app/kernel';
import { LATER_EVENT_WORDS, SETTLEMENT_COLUMNS } from '@app/gateway-adapters/paynet';
import { readLedger, settlementRows } from '@app/gateway-adapters/simulator';
import { OPERATION_WORDS, type OrderStatusView, type ReportView } from '@app/read-models';
import { csvRecord, type Period } from '@app/reconciliation';
import { CommandFailed, EXIT } from '../terminal';
import { periodOf } from './findings';
import { withReaders, ownEnvironment, builtReadModel } from '../stores';

interface SettlementFileOptions {
  readonly merchant?: string;
  readonly simulator?: string;
  readonly from?: string;
  readonly to?: string;
}

const PAGE_ROWS = 500;
const SECOND_LENGTH = '2026-11-24T08:30:00'.length;

/** Format of status answers (interface, section 2.5). */
const dateText = (at: Instant): string => `${new Date(at).toISOString().slice(0, SECOND_LENGTH).replace('T', ' ')} UTC`;

const REFERENCE_LENGTH_MAX = 128;
const referenceText = (reference = ''): string => reference.slice(0, REFERENCE_LENGTH_MAX).replaceAll(/[^ -~]/g, '?');

/** Undefined for a report that moved no money or was set aside. */
const laterEventOf = ({ kind, shown, outcome }: ReportView): string | undefined => {
  if (shown === null || outcome === 'lost') return undefined;
  if (shown.transactionType === 'chargeback') return LATER_EVENT_WORDS[kind === 'representment' ? kind : 'chargeback'];
  return LATER_EVENT_WORDS[shown.transactionType];
};

/** Results that became final in the period: the order itself, its follow-ups, then later reports of its gate. */
export const settledRows = (view: OrderStatusView, isIn: (at: Instant) => boolean): readonly (readonly string[])[] => {
  const { clientOrderId, orderId, operation, currency, receipt, finalAt } = view;
  const rows: (readonly string[])[] = [];
  const row = (
    serial: string,
    type: string,
    status: string,
    minor: string,
    commissionMinor: string | null,
    at: Instant,
    told: { readonly transactionId?: string; readonly rrn?: string } | null,
  ): void => {
    const commission = commissionMinor === null ? '' : formatAmount(BigInt(commissionMinor));
    rows.push([
      clientOrderId,
      orderId,
      serial,
      type,
      status,
      formatAmount(BigInt(minor)),
      currency,
      commission,
      dateText(at),
      referenceText(told?.transactionId),
      referenceText(told?.rrn),
    ]);
  };
  if (finalAt !== null && isIn(finalAt)) {
    const commission = view.status === 'approved' ? view.commissionMinor : null;
    const { transactionType } = OPERATION_WORDS[operation];
    row(view.requests[0]?.serial ?? '', transactionType, view.status, view.amountMinor, commission, finalAt, receipt);
  }
  for (const followUp of view.followUps) {
    if (followUp.finalAt === null || !isIn(followUp.finalAt)) continue;
    row(followUp.serial, followUp.operation, followUp.status, followUp.amountMinor, null, followUp.finalAt, followUp.receipt);
  }
  for (const report of view.reports ?? []) {
    const type = laterEventOf(report);
    if (type === undefined || !isIn(report.receivedAt)) continue;
    const { eventId, reportId, amountMinor, receivedAt } = report;
    row(eventId, type, 'approved', amountMinor ?? view.amountMinor, null, receivedAt, { transactionId: reportId });
  }
  return rows;
};

const START = 0 as Instant;
const END = 8_640_000_000_000_000 as Instant;

const ofMerchant = async (
  merchant: MerchantLogin,
  { from = START, before = END }: Partial<Period>,
  write: (record: string) => void,
): Promise<void> => {
  await withReaders(ownEnvironment(), async (readers) => {
    const { operatorOrders } = builtReadModel(readers);
    write(csvRecord(SETTLEMENT_COLUMNS));
    for (let after: StreamName | undefined; ;) {
      const page = await operatorOrders.touchedOf(merchant, from, PAGE_ROWS, after);
      for (const { view } of page) for (const fields of settledRows(view, (at) => at >= from && at < before)) write(csvRecord(fields));
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.stream;
    }
  });
};

const ofSimulator = (alias: GateAlias, write: (record: string) => void): void => {
  const { simulatorLedgerPath } = ownEnvironment();
  if (!existsSync(simulatorLedgerPath))
    throw new CommandFailed(`no ledger at ${simulatorLedgerPath}. Set DATA_DIR to the folder of the service`);
  const ledger = readLedger(simulatorLedgerPath);
  try {
    for (const fields of settlementRows(ledger, alias)) write(csvRecord(fields));
  } finally {
    ledger.close();
  }
};

export const settlementFile = async (
  { merchant, simulator, from, to }: SettlementFileOptions,
  write: (record: string) => void,
): Promise<void> => {
  if ((merchant === undefined) === (simulator === undefined)) throw new CommandFailed('give either --merchant or --simulator', EXIT.usage);
  if (merchant !== undefined) return ofMerchant(merchant as MerchantLogin, periodOf({ ...(from && { from }), ...(to && { to }) }), write);
  if (from !== undefined || to !== undefined) throw new CommandFailed('--from and --to need --merchant', EXIT.usage);
  ofSimulator((simulator ?? '') as GateAlias, write);
};

export const addSettlementFileCommand = (program: Command): void => {
  program
    .command('settlement-file')
    .description('write a settlement file of a merchant (for an installation that uses this one as a gate), or of a simulator gate')
    .option('--merchant <login>', 'the merchant')
    .option('--simulator <alias>', 'the simulator gate')
    .option('--from <time>', 'a day or a time in UTC, such as 2026-11-24')
    .option('--to <time>', 'the end, in the same form; a day is included completely')
    .action((options: SettlementFileOptions) => settlementFile(options, (record) => void process.stdout.write(record)));
};
