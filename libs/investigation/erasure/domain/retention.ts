import { addMs, type Instant } from '@app/kernel';

/** Retention periods by kind of data; an absent rule erases nothing. */
export interface RetentionRules {
  /** Card of an order that ended declined, filtered or in error, from its end. */
  readonly refusedCardMs?: number;
  /** Card of an approved order without a reference, from its end: until then it could be registered. */
  readonly unusedCardMs?: number;
  /** Card of an approved order, with its references, from the end of its expiry month. */
  readonly expiredCardMs?: number;
  /** Personal data and texts, from the order's end, but not while a reference to its card is active. */
  readonly personalDataMs?: number;
}

export const hasRules = (rules: RetentionRules): boolean => Object.values(rules).some((ms) => ms !== undefined);

export interface AgedOrder {
  readonly isApproved: boolean;
  readonly finalAt: Instant;
  readonly cardExpiresAt: Instant | undefined;
  readonly isCardReferred: boolean;
}

interface RetentionDue {
  readonly cards: Instant | undefined;
  readonly texts: Instant | undefined;
}

const after = (at: Instant | undefined, ms: number | undefined): Instant | undefined =>
  at === undefined || ms === undefined ? undefined : addMs(at, ms);

const earliest = (...instants: readonly (Instant | undefined)[]): Instant | undefined => {
  const known = instants.filter((at) => at !== undefined);
  return known.length === 0 ? undefined : (Math.min(...known) as Instant);
};

export const retentionDue = (
  { refusedCardMs, unusedCardMs, expiredCardMs, personalDataMs }: RetentionRules,
  { isApproved, finalAt, cardExpiresAt, isCardReferred }: AgedOrder,
): RetentionDue => {
  const texts = after(finalAt, personalDataMs);
  if (!isApproved) return { texts, cards: after(finalAt, refusedCardMs) };
  const expired = after(cardExpiresAt, expiredCardMs);
  // A registered card is kept until it expires, even if it is unused.
  return { texts, cards: isCardReferred ? expired : earliest(expired, after(finalAt, unusedCardMs)) };
};

/** Minimum time from an order's end until anything can be due; undefined if nothing ever is. */
export const leastRetentionMs = (
  { refusedCardMs, unusedCardMs, expiredCardMs, personalDataMs }: RetentionRules,
  isApproved: boolean,
): number | undefined => {
  const rules = isApproved ? [unusedCardMs, expiredCardMs, personalDataMs] : [refusedCardMs, personalDataMs];
  const known = rules.filter((ms) => ms !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};
