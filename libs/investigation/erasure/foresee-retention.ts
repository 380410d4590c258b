import type { Instant } from '@app/kernel';
import { erasedCards, erasedTexts, type Erasure } from './domain/erasure';
import { retentionDue, type RetentionRules } from './domain/retention';
import { obstaclesTo, type Obstacle } from './erase-order';
import type { AgedErasableData } from './retain-order';

export type WhyNotErased = Obstacle | 'under-legal-hold' | 'card-reference-lives' | 'not-yet';

export interface ForeseenErasure {
  readonly texts: boolean;
  readonly cards: boolean;
  /** Why data are retained; with `not-yet`, until then. */
  readonly whyNot: readonly WhyNotErased[];
  readonly nextAt: Instant | undefined;
}

/** What the worker would erase at a time. */
export const foreseeRetention = (rules: RetentionRules, held: AgedErasableData, record: Erasure, now: Instant): ForeseenErasure => {
  const hasTexts = held.texts.some((key) => !erasedTexts(record).has(key));
  const hasCards = held.cards.some(({ handle }) => !erasedCards(record).has(handle));
  const due = held.aged === undefined ? { cards: undefined, texts: undefined } : retentionDue(rules, held.aged);
  const isDue = (at: Instant | undefined): boolean => at !== undefined && at <= now;
  const wanted = { cards: hasCards && isDue(due.cards), texts: hasTexts && isDue(due.texts) };
  const waiting = [hasCards ? due.cards : undefined, hasTexts ? due.texts : undefined].filter((at) => at !== undefined && at > now);
  const isHeld = record.heldSince !== undefined;
  const againstCards: readonly WhyNotErased[] = wanted.cards ? obstaclesTo({ what: 'cards' }, held) : [];
  const areCardsErased = wanted.cards && !isHeld && againstCards.length === 0;
  const left = areCardsErased ? { ...held, cards: [] } : held;
  const againstTexts: readonly WhyNotErased[] = wanted.texts ? obstaclesTo({ what: 'texts' }, left) : [];
  const whyNot = new Set<WhyNotErased>([
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
