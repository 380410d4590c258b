import { addMs, type Instant } from '@app/kernel';

/** How long what is kept; a rule that is absent erases nothing. */
export interface RetentionRules {
  /** Card of an order that ended declined, filtered or in error, from its end. */
  readonly refusedCardMs?: number;
  /** Card of an approved order that has no reference, from its end: it could be registered until then. */
  readonly unusedCardMs?: number;
  /** Card of an approved order, with its references, from the end of the month that stands on it. */
  readonly expiredCardMs?: number;
  /** Personal data and texts, from the order's end; as long as a reference to its card lives they stay. */
  readonly personalDataMs?: number;
}

export const hasRules = (rules: RetentionRules): boolean => Object.values(rules).some((ms) => ms !== undefined);

export interface AgedOrder {
  readonly isApproved: boolean;
  readonly finalAt: Instant;
  /** Undefined where the card tells none. */
  readonly cardExpiresAt: Instant | undefined;
  /** Whether a reference charges its card. */
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

/** When the card of an order, and its texts, are old enough; undefined where no rule says so. */
export const retentionDue = (
  { refusedCardMs, unusedCardMs, expiredCardMs, personalDataMs }: RetentionRules,
  { isApproved, finalAt, cardExpiresAt, isCardReferred }: AgedOrder,
): RetentionDue => {
  const texts = after(finalAt, personalDataMs);
  if (!isApproved) return { texts, cards: after(finalAt, refusedCardMs) };
  const expired = after(cardExpiresAt, expiredCardMs);
  // Whether a registered card is used is not looked at: only its expiry ends it.
  return { texts, cards: isCardReferred ? expired : earliest(expired, after(finalAt, unusedCardMs)) };
};

/** The least time after an order's end at which anything of it can be due; undefined where nothing ever is. */
export const leastRetentionMs = (
  { refusedCardMs, unusedCardMs, expiredCardMs, personalDataMs }: RetentionRules,
  isApproved: boolean,
): number | undefined => {
  const rules = isApproved ? [unusedCardMs, expiredCardMs, personalDataMs] : [refusedCardMs, personalDataMs];
  const known = rules.filter((ms) => ms !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};
