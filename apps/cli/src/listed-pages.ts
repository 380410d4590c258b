import type { Command } from 'commander';
import { OperatorPort } from './operator-port';
import { asJson, listing, type Output } from './terminal';

export interface PageOptions {
  readonly limit?: string;
  readonly cursor?: string;
  readonly all?: true;
}

interface Page {
  readonly next?: string;
  readonly index?: string;
}

const INDEX_TEXTS: Readonly<Record<string, string>> = {
  missing: 'the index was never built, so nothing is listed. Start the service, or run orch rebuild',
  behind: 'the index is behind the log: newer entries and changes may be missing',
};

export const withPages = (command: Command): Command =>
  command
    .option('--limit <number>', 'entries of a page, at most 500 (default: 100)')
    .option('--cursor <place>', 'continue after an earlier page, which shows this value')
    .option('--all', 'all pages, one after the other');

/** Writes one page of a list of the running service, or all pages. */
export const listPages = <Answer extends Page>(
  path: string,
  { limit, cursor, all, ...question }: PageOptions & Readonly<Record<string, string | true | undefined>>,
  terminal: Output,
  write: (page: Answer, output: Output) => void,
): Promise<void> =>
  listing(terminal, async (output) => {
    const port = OperatorPort.of();
    const asked = Object.fromEntries(Object.entries(question).filter((one): one is [string, string] => typeof one[1] === 'string'));
    let after = cursor;
    let isMore: boolean;
    do {
      const page = await port.read<Answer>(path, { ...asked, limit, cursor: after });
      write(page, output);
      after = page.next;
      isMore = all === true && after !== undefined;
      if (page.index !== undefined && !isMore) output.problem(INDEX_TEXTS[page.index] ?? page.index);
    } while (isMore);
    if (after === undefined) return;
    if (output.isJson) output.line(asJson({ next: after }));
    else output.problem(`there are more: continue with --cursor ${after}`);
  });
