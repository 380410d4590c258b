import { tokenEnd } from '@app/investigation';
import { isCardRefId, type MerchantLogin } from '@app/kernel';
import { issuedReference } from '@app/card-registration';
import type { EventStore } from '@app/event-store';
import { asJson, type Output } from '../terminal/output';
import { printable } from '../terminal/printable';

/** Writes which gates have a token of a card by this reference, and no more than the end of each; nothing for what is no reference of these merchants. */
export const writeGateTokens = async (
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
    if (output.isJson) {
      output.line(asJson({ cardRefId, merchant, tokens, wantedOf, ...(network !== undefined && { networkTransactionId: network }) }));
      continue;
    }
    const facts = [
      ...tokens.map(({ gate, token }) => `token ${printable(token)} at ${gate}`),
      ...wantedOf.map((gate) => `token wanted of ${gate}`),
      ...(network === undefined ? [] : [`network transaction ${printable(network)}`]),
    ];
    output.line(`card reference ${cardRefId}: ${facts.length === 0 ? 'no gate has a token' : facts.join(', ')}`);
  }
};
