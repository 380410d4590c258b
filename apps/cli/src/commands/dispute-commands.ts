import { Option, type Command } from 'commander';
import { CHARGEBACK_STAGES, REPRESENTMENT_OUTCOMES } from '@app/orders/domain';
import { importReports, type ImportOptions } from '../operator/import-reports';
import { recordReport, type ReportOptions } from '../operator/record-report';
import { REPORT_HEADER } from '../operator/report-lines';
import { addNameOptions } from '../order/one-order';
import type { CommandContext } from './command-context';

const ORDER = ['<order>', 'orderid, client_orderid, or a reference of the gate'] as const;
const AMOUNT = ['--amount <amount>', 'in major units, such as 10.42'] as const;
const CURRENCY = ['--currency <currency>', 'three letters'] as const;

/** The options that every report has. */
const reporting = (command: Command): Command =>
  addNameOptions(command)
    .argument(...ORDER)
    .requiredOption('--case <id>', 'the gate’s own id of the case; the same again changes nothing')
    .option('--date <day>', 'when it happened, such as 2026-11-24, in UTC')
    .option('--merchant <login>', 'whose order it is')
    .option(
      '--actor <name>',
      'the person for whom you act, recorded beside the operator of the token; the user of this terminal where it is left out',
    );

const stage = (): Option => new Option('--stage <stage>', 'of the case').choices(CHARGEBACK_STAGES);
const reasonCode = ['--reason-code <code>', 'the card scheme’s, such as 10.4'] as const;

/** What gates report after the end of an order, where it comes on paper or in a file; done by the running service. */
export const addDisputeCommands = (program: Command, { output }: CommandContext): void => {
  const chargebacks = program.command('chargeback').description('chargebacks that came on paper, and what became of them');

  reporting(
    chargebacks.command('add').description('record that the issuer took the payer’s money back; refused where it does not fit the order'),
  )
    .requiredOption(...AMOUNT)
    .requiredOption(...CURRENCY)
    .option(...reasonCode)
    .addOption(stage())
    .action((name: string, options: ReportOptions) => recordReport(name, 'chargeback', options, output()));

  for (const outcome of REPRESENTMENT_OUTCOMES) {
    const became = outcome === 'won' ? 'was won, so that its money is back' : 'was lost';
    reporting(chargebacks.command(outcome).description(`record that the representment of a chargeback ${became}`))
      .option(...reasonCode)
      .addOption(stage())
      .action((name: string, options: ReportOptions) => recordReport(name, 'representment', { ...options, outcome }, output()));
  }

  const disputes = program.command('dispute').description('other reports of a gate after the end of an order, and files of them');

  reporting(disputes.command('reversal').description('record that the acquirer gave money back by itself'))
    .requiredOption(...AMOUNT)
    .requiredOption(...CURRENCY)
    .option(...reasonCode)
    .action((name: string, options: ReportOptions) => recordReport(name, 'reversal', options, output()));

  reporting(
    disputes.command('fraud-warning').description('record that the issuer holds the payment for fraud (TC40, SAFE); no money moves'),
  )
    .option(...AMOUNT)
    .option(...CURRENCY)
    .option(...reasonCode)
    .action((name: string, options: ReportOptions) => recordReport(name, 'fraud-warning', options, output()));

  disputes
    .command('import')
    .description(`record what a file of a gate reports, line by line; its first line is ${REPORT_HEADER}`)
    .requiredOption('--gate <alias>', 'the gate whose file it is')
    .requiredOption('--file <csv>', 'the file')
    .option('--merchant <login>', 'look among the orders of this merchant only')
    .option('--actor <name>', 'the person for whom you act; the user of this terminal where it is left out')
    .action((options: ImportOptions) => importReports(options, output()));
};
