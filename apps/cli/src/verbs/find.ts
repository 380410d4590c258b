import type { Command } from 'commander';
import { findPage, FOUND_LIMIT_DEFAULT, FOUND_LIMIT_MAX, INDEX_MESSAGES, indexState, type IndexState } from '@app/read-models/queries';
import { ORDER_SEARCH } from '@app/read-models';
import { tokenEnd, type Found } from '@app/investigation';
import { isCardRefId, type MerchantLogin } from '@app/kernel';
import { issuedReference } from '@app/card-registration';
import type { EventStore } from '@app/event-store';
import { CommandFailed, EXIT, listing, type Output, printable, writeResult, type CommandContext, MERCHANT, OFFLINE } from '../terminal';
import { findOrder, orderView } from '../orders/find-order';
import { withOrders, type OrderReaders } from '../stores';
import { portInstead, type PlaceOptions, writeOrder, writeSummary, shownName } from '../orders/order-name';
import type { OperatorPort } from '../operator-port';

/** Lists gates with a token of this card reference, only with the token's last characters. Prints nothing for an unknown reference. */
const writeGateTokens = async (
  log: Pick<EventStore, 'read'>,
  merchants: readonly MerchantLogin[],
  cardRefId: string,
  output: Output,
): Promise<void> => {
  if (!isCardRefId(cardRefId)) return;
  for (const merchant of merchants) {
    const found = await issuedReference(log, merchant, cardRefId);
    if (found === undefined || found.use === 'destination') continue;
    const { atGates, wanted } = found;
    const tokens = atGates.tokens.map(({ gate, token }) => ({ gate, token: tokenEnd(token) }));
    const wantedOf = wanted.map(({ gate }) => gate);
    const network = atGates.networkTransactionId === undefined ? undefined : tokenEnd(atGates.networkTransactionId);
    writeResult(output, { cardRefId, merchant, tokens, wantedOf, ...(network !== undefined && { networkTransactionId: network }) }, () => {
      const facts = [
        ...tokens.map(({ gate, token }) => `token ${printable(token)} at ${gate}`),
        ...wantedOf.map((gate) => `token wanted of ${gate}`),
        ...(network === undefined ? [] : [`network transaction ${printable(network)}`]),
      ];
      return `card reference ${cardRefId}: ${facts.length === 0 ? 'no gate has a token' : facts.join(', ')}`;
    });
  }
};

const LIMIT = /^[1-9]\d{0,3}$/;

export interface FindOptions extends PlaceOptions {
  readonly merchant?: string;
  readonly limit?: string;
  readonly after?: string;
}

/** `orch find <identifier>`: a page of the orders with any such identifier. @throws CommandFailed if there is none, or the stores cannot answer */
export const find = (name: string, { merchant, limit, after, ...place }: FindOptions, terminal: Output): Promise<void> =>
  listing(terminal, async (output) => {
    const port = portInstead(place);
    if (port !== undefined) return findAtPort(port, name, { merchant, limit, after }, output);
    await withOrders(merchant, async ({ readers, merchants, environment }) => {
      const { log, readModel } = readers;
      const text = name.trim();
      const page = await findPage({ log, readModel, merchants }, text, {
        limit: limitOf(limit),
        ...(after !== undefined && { after }),
      });
      if (page === undefined) throw new CommandFailed('--after takes the value that the previous page printed', EXIT.usage);
      let { found } = page;
      const index = await stateOf(readers);
      // An orderid names no stream, so the log is searched for orders that the read model lacks.
      if (found.length === 0 && after === undefined)
        found = (await findOrder(readers, text, merchants)).map((stream) => ({ stream, by: ['orderid'] as const }));
      if (found.length === 0) {
        const shown = shownName(name);
        if (index !== 'level') throw new CommandFailed(`found nothing named ${shown}, but ${INDEX_MESSAGES[index]}`);
        throw new CommandFailed(`nothing of ${merchants.join(', ')} in ${environment.dataDir} is named ${shown}`, EXIT.notFound);
      }
      for (const { stream, by } of found) {
        const view = await orderView(log, stream);
        if (view !== undefined) writeOrder(view, output, { by });
      }
      if (after === undefined) await writeGateTokens(log, merchants, text, output);
      if (page.next !== undefined) writeNext(page.next, output);
      if (page.areReferencesCut) output.problem(REFERENCES_CUT);
      if (index !== 'level') output.problem(INDEX_MESSAGES[index]);
    });
  });

const findAtPort = async (
  port: OperatorPort,
  name: string,
  asked: Readonly<Record<'merchant' | 'limit' | 'after', string | undefined>>,
  output: Output,
): Promise<void> => {
  const { found, next, areReferencesCut, index } = await port.read<Found>('/orders/find', { q: name, ...asked });
  const shown = shownName(name);
  if (found.length === 0 && index !== undefined) throw new CommandFailed(`found nothing named ${shown}, but ${INDEX_MESSAGES[index]}`);
  if (found.length === 0) throw new CommandFailed(`nothing is named ${shown}`, EXIT.notFound);
  for (const { order, by } of found) writeSummary(order, output, { by });
  if (next !== undefined) writeNext(next, output);
  if (areReferencesCut === true) output.problem(REFERENCES_CUT);
  if (index !== undefined) output.problem(INDEX_MESSAGES[index]);
};

const REFERENCES_CUT = 'the card has more references than this search covers: orders that used the others may be missing';

const limitOf = (text: string | undefined): number => {
  if (text === undefined) return FOUND_LIMIT_DEFAULT;
  if (LIMIT.test(text) && Number(text) <= FOUND_LIMIT_MAX) return Number(text);
  throw new CommandFailed(`--limit must be a number from 1 to ${FOUND_LIMIT_MAX}`, EXIT.usage);
};

const stateOf = async ({ log, readModel }: OrderReaders): Promise<IndexState> => indexState(log, await readModel?.checkpoint(ORDER_SEARCH));

const writeNext = (next: string, output: Output): void =>
  writeResult(output, { next }, () => output.paint('faint', `there are more: continue with --after ${next}`));

export const addFindCommand = (program: Command, { output }: CommandContext): void => {
  program
    .command('find')
    .description(
      'find orders by an identifier: orderid, client_orderid, card reference, unique card id, serial number, receipt, delivery, or a reference of the gate',
    )
    .argument('<identifier>')
    .option(...MERCHANT)
    .option('--limit <number>', 'orders of a page, at most 1000 (default: 100)')
    .option('--after <place>', 'continue after an earlier page, which shows this value')
    .option(...OFFLINE)
    .action((text: string, options: FindOptions) => find(text, options, output()));
};
