import { assertInTime, type StreamName } from '@app/event-store';
import type { Instant } from '@app/kernel';
import { NAMED_STREAMS_MAX, type ReadModel } from '@app/read-models';
import type { EvidencePorts } from './gather-evidence';

/** References under which one merchant registered one card before: the newest of them are looked at. */
export const REFERENCES_MAX = 1_000;
/** Orders of one card, of all merchants, among which the newest are looked for. */
export const NAMED_MAX = 2_000;

/** Finds the orders that a merchant had of a card before another, by the card itself and by every reference to it. */
export const ordersOfCard =
  ({ search, cardReferences, orderList }: Pick<ReadModel, 'search' | 'cardReferences' | 'orderList'>): EvidencePorts['ordersOfCard'] =>
  async ({ merchant, uid, before }, limit, deadline) => {
    // Only what was there before the order counts, so that a pack that is made again is the same however often the card is registered since.
    const issued = await cardReferences.byCard(merchant, uid, REFERENCES_MAX + 1, before);
    const references = issued.slice(0, REFERENCES_MAX);
    let isCut = issued.length > REFERENCES_MAX;
    const named = new Set<StreamName>();
    for (const identifier of [uid, ...references.map(({ view }) => view.cardRefId)]) {
      assertInTime(deadline);
      const streams = await search.streamsNamed(identifier, { limit: NAMED_MAX + 1, ...(deadline !== undefined && { deadline }) });
      isCut ||= streams.length > NAMED_MAX;
      for (const stream of streams.slice(0, NAMED_MAX)) named.add(stream);
    }
    const all = [...named];
    const found: { readonly stream: StreamName; readonly at: Instant }[] = [];
    for (let from = 0; from < all.length; from += NAMED_STREAMS_MAX) {
      const streams = all.slice(from, from + NAMED_STREAMS_MAX);
      const page = await orderList.page(
        { merchant, createdTo: before },
        { limit: streams.length, named: { streams }, ...(deadline !== undefined && { deadline }) },
      );
      found.push(...page.orders.map(({ stream, view }) => ({ stream, at: view.acceptedAt })));
    }
    // Streams of one moment by their names: whoever asks again gets the same.
    found.sort((a, b) => b.at - a.at || (a.stream < b.stream ? -1 : 1));
    return { streams: found.slice(0, limit).map(({ stream }) => stream), isCut: isCut || found.length > limit };
  };
