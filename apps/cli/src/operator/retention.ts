import { loadConfiguration, packageRoot, readEnvironment } from '@app/configuration';
import { orderKeyOf } from '@app/card-vault';
import {
  erasedCards,
  erasedTexts,
  erasureOf,
  hasRules,
  retentionDue,
  type AgedHoldings,
  type Erasure,
  type Obstacle,
  type RetentionRules,
} from '@app/investigation/erasure';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { systemClock, type Instant, type MerchantLogin } from '@app/kernel';
import { StreamOrderHoldings } from '@app/read-models/queries';
import { CommandFailed, EXIT } from '../command-failed';
import { openOrderReaders } from '../order/order-readers';
import { asJson, listing, type Output } from '../terminal/output';
import { isoText } from '../order/instant-text';

export interface RetentionOptions {
  readonly dryRun?: true;
  readonly merchant?: string;
}

/** Rows of one question to the read model. */
const PAGE = 500;

type WhyNot = Obstacle | 'under-legal-hold' | 'card-reference-lives' | 'not-yet';

/** What retention would do with one order at this moment. */
export interface Foreseen {
  readonly texts: boolean;
  readonly cards: boolean;
  /** Why something that is left stays; with `not-yet`, until then. */
  readonly whyNot: readonly WhyNot[];
  readonly nextAt: Instant | undefined;
}

const NEED_THE_CARD: readonly WhyNot[] = ['not-final', 'follow-up-open'];

/** The same as the worker decides, without doing it; pure. */
export const foreseen = (rules: RetentionRules, held: AgedHoldings, record: Erasure, now: Instant): Foreseen => {
  const hasTexts = held.texts.some((key) => !erasedTexts(record).has(key));
  const hasCards = held.cards.some(({ handle }) => !erasedCards(record).has(handle));
  const due = held.aged === undefined ? { cards: undefined, texts: undefined } : retentionDue(rules, held.aged);
  const isDue = (at: Instant | undefined): boolean => at !== undefined && at <= now;
  const wanted = { cards: hasCards && isDue(due.cards), texts: hasTexts && isDue(due.texts) };
  const waiting = [hasCards ? due.cards : undefined, hasTexts ? due.texts : undefined].filter((at) => at !== undefined && at > now);
  const isHeld = record.heldSince !== undefined;
  const againstCards = wanted.cards ? held.obstacles.filter((one) => NEED_THE_CARD.includes(one)) : [];
  const areCardsErased = wanted.cards && !isHeld && againstCards.length === 0;
  const lives = !areCardsErased && held.cards.some(({ references }) => references.length > 0);
  const againstTexts: readonly WhyNot[] = wanted.texts ? [...held.obstacles, ...(lives ? (['card-reference-lives'] as const) : [])] : [];
  const whyNot = new Set<WhyNot>([
    ...(isHeld && (wanted.cards || wanted.texts) ? (['under-legal-hold'] as const) : []),
    ...againstCards,
    ...againstTexts,
    ...(waiting.length > 0 ? (['not-yet'] as const) : []),
  ]);
  return {
    cards: areCardsErased,
    texts: wanted.texts && !isHeld && againstTexts.length === 0,
    whyNot: [...whyNot],
    nextAt: waiting.length === 0 ? undefined : (Math.min(...(waiting as Instant[])) as Instant),
  };
};

/** `orch retention --dry-run`: what is old enough to be erased, and what stays why; reads beside a running service. @throws CommandFailed */
export const retention = ({ dryRun, merchant }: RetentionOptions, terminal: Output): Promise<void> => {
  if (dryRun !== true) throw new CommandFailed('the worker erases by age, as the configuration says: --dry-run shows what', EXIT.usage);
  return listing(terminal, async (output) => {
    const environment = readEnvironment(process.env, packageRoot());
    const { retention: rules, accounts } = loadConfiguration(environment.configurationPath, process.env, GATE_ADAPTERS);
    if (!hasRules(rules)) {
      if (!output.isJson) output.line('no rule of the configuration erases anything by age');
      return;
    }
    const readers = await openOrderReaders(environment);
    const { log, readModel } = readers;
    try {
      if (readModel === undefined) throw new CommandFailed('the read model was never built: start the service, or orch rebuild');
      const holdings = new StreamOrderHoldings({ log, readModel, sealer: { keyOf: orderKeyOf }, clock: systemClock });
      const counts = { orders: 0, texts: 0, cards: 0, kept: {} as Partial<Record<WhyNot, number>> };
      for (const login of merchant === undefined ? accounts.merchants.map((one) => one.login) : [merchant as MerchantLogin]) {
        let after: Parameters<typeof readModel.operatorOrders.touchedOf>[3];
        for (;;) {
          const page = await readModel.operatorOrders.touchedOf(login, 0 as Instant, PAGE, after);
          for (const { stream, view } of page) {
            const held = await holdings.of(stream);
            if (held === undefined) continue;
            const one = foreseen(rules, held, await erasureOf(log, stream), systemClock.now());
            counts.orders += 1;
            counts.texts += Number(one.texts);
            counts.cards += Number(one.cards);
            for (const reason of one.whyNot) counts.kept[reason] = (counts.kept[reason] ?? 0) + 1;
            writeOne(view.orderId, one, output);
          }
          after = page.at(-1)?.stream;
          if (page.length < PAGE) break;
        }
      }
      const kept = Object.entries(counts.kept).map(([reason, count]) => `${count} ${reason}`);
      if (output.isJson) output.line(asJson({ summary: counts }));
      else
        output.line(
          `of ${counts.orders} orders the texts of ${counts.texts} and the cards of ${counts.cards} would be erased${kept.length > 0 ? `; kept: ${kept.join(', ')}` : ''}`,
        );
    } finally {
      await readers.close();
    }
  });
};

const writeOne = (orderId: string, { texts, cards, whyNot, nextAt }: Foreseen, output: Output): void => {
  if (!texts && !cards && (whyNot.length === 0 || (whyNot.length === 1 && whyNot[0] === 'not-yet' && !output.isJson))) return;
  if (output.isJson)
    return output.line(asJson({ orderId, texts, cards, whyNot, ...(nextAt !== undefined && { nextAt: isoText(nextAt) }) }));
  const erased = [...(texts ? ['texts'] : []), ...(cards ? ['cards'] : [])];
  const stays = whyNot.map((one) => (one === 'not-yet' && nextAt !== undefined ? `more from ${isoText(nextAt)}` : one));
  output.line(`order ${orderId}: ${[erased.length === 0 ? 'nothing' : erased.join(' and '), ...stays].join(', ')}`);
};
