import { Option, type Command } from 'commander';
import { AUDIT_FORMATS } from '@app/investigation';
import {
  evidence,
  type EvidenceOptions,
  showConfiguration,
  type ConfigurationOptions,
  orderTrail,
  type TrailOptions,
} from '../verbs/audit';
import { LIST_OPTIONS, listOrders, type ListOptions } from '../verbs/list';
import { addNameOptions } from '../orders/order-name';
import type { CommandContext } from '../terminal';

const kebab = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** What investigators ask: each question goes through the running service, which records it. */
export const addAuditCommands = (program: Command, { output }: CommandContext): void => {
  const list = program
    .command('list')
    .description('orders by identifiers and facts, the newest first; the running service answers, and records that it was asked');
  for (const [name, meaning] of Object.entries(LIST_OPTIONS)) list.option(`--${kebab(name)} <value>`, meaning);
  list
    .addOption(new Option('--format <format>', 'rows for programs, in the shape of docs/audit.md').choices(AUDIT_FORMATS))
    .option('--limit <number>', 'orders of a page: 100 where it is left out, at most 500')
    .option('--cursor <place>', 'continue after an earlier page, which shows this value')
    .option('--all', 'all pages, one after the other')
    .option('--actor <name>', 'the person for whom you ask, recorded beside the operator of the token')
    .action((options: ListOptions) => listOrders(options, output()));

  const audit = program
    .command('audit')
    .description(
      'all that belongs to an order, in the order of the log: its events, cards, deliveries, and what people did and asked; on record',
    )
    .argument('<order>', 'orderid, or client_orderid')
    .option('--merchant <login>', 'of this merchant')
    .addOption(new Option('--format <format>', 'rows for programs, in the shape of docs/audit.md').choices(AUDIT_FORMATS))
    .option('--reveal', 'show personal data and other sealed texts; needs --reason')
    .option('--reason <text>', 'why you need to see them; stored sealed')
    .option('--actor <name>', 'the person for whom you ask, recorded beside the operator of the token')
    .action((order: string, options: TrailOptions) => orderTrail(order, options, output()));
  addNameOptions(audit);

  const evidenced = program
    .command('evidence')
    .description(
      'the evidence pack of an order for a dispute: its events with their proofs, what is known of the consumer, earlier orders; anybody can check it offline',
    )
    .argument('<order>', 'orderid, or client_orderid')
    .requiredOption('-o, --out <file>', 'the zip to write; a file that is there already is kept')
    .requiredOption('--reason <text>', 'why you need it; stored sealed')
    .option(
      '--at <time>',
      'leave out what was recorded later, such as 2026-11-24T08:30:00Z: when the newest dispute was, where it is left out',
    )
    .option('--merchant <login>', 'of this merchant')
    .option('--actor <name>', 'the person for whom you ask, recorded beside the operator of the token')
    .action((order: string, options: EvidenceOptions) => evidence(order, options, output()));
  addNameOptions(evidenced);
  audit
    .command('configuration')
    .description('which configuration applied at a moment: rules, gate settings, ids of keys; on record')
    .option('--at <time>', 'a time with Z or an offset, such as 2026-11-24T08:30:00Z; now where it is left out')
    .action((options: ConfigurationOptions, command: Command) =>
      // The option of the verb above it is read there.
      showConfiguration({ ...options, ...command.optsWithGlobals<ConfigurationOptions>() }, output()),
    );
};
