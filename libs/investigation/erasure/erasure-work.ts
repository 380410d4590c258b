import type { StreamName, WorkChange } from '@app/event-store';
import { unreachable, addMs, type Instant, type MerchantLogin } from '@app/kernel';
import type { ErasureEvent } from './domain/erasure';
import { leastRetentionMs, type RetentionRules } from './domain/retention';

export interface ErasureListener {
  readonly event: ErasureEvent;
}

const LANE = 'erasure';

/** Work table of erasures: a request is due at once until it is recorded as done (architecture, rule 9). */
export const erasureWork = ({ event }: ErasureListener): readonly WorkChange[] => {
  switch (event.type) {
    case 'ErasureRequested': {
      const { requestId, orderStream, merchant, requestedAt } = event.data;
      const stream = orderStream as StreamName;
      return [{ kind: 'due', item: { key: requestId, stream, task: 'erase', dueAt: requestedAt, merchant, lane: LANE } }];
    }
    case 'Erased':
      return [{ kind: 'done', key: event.data.requestId }];
    case 'LegalHoldPlaced':
    case 'LegalHoldReleased':
      return [];
    default:
      return unreachable(event);
  }
};

interface RetentionListener {
  readonly stream: StreamName;
  readonly metadata: { readonly merchant: string; readonly recordedAt: Instant };
  readonly event: { readonly type: string };
}

/** Of all orders, by the time of their next check. */
export const RETENTION_LANE = 'retention';
const APPROVED: ReadonlySet<string> = new Set(['OrderApproved']);
const REFUSED: ReadonlySet<string> = new Set(['OrderDeclined', 'OrderFiltered', 'OrderFailed']);

/** Work table of retention: each ended order, due when the first rule can apply (architecture, rule 9). */
export const retentionWork =
  (rules: RetentionRules) =>
  ({ stream, metadata, event }: RetentionListener): readonly WorkChange[] => {
    if (!APPROVED.has(event.type) && !REFUSED.has(event.type)) return [];
    const leastMs = leastRetentionMs(rules, APPROVED.has(event.type));
    if (leastMs === undefined) return [];
    const merchant = metadata.merchant as MerchantLogin;
    const item = {
      key: stream as string,
      stream,
      task: 'retain',
      dueAt: addMs(metadata.recordedAt, leastMs),
      merchant,
      lane: RETENTION_LANE,
    };
    return [{ kind: 'due', item }];
  };

const SHAPE_MODULUS = 2_147_483_647;
const FACTOR = 31;

/** Identifies a set of rules, so that the work table is rebuilt if the rules change. */
export const retentionShape = ({ refusedCardMs, unusedCardMs, expiredCardMs, personalDataMs }: RetentionRules): number => {
  const text = [refusedCardMs, unusedCardMs, expiredCardMs, personalDataMs].map(String).join(' ');
  let shape = 1;
  for (const character of text) shape = (shape * FACTOR + (character.codePointAt(0) ?? 0)) % SHAPE_MODULUS;
  return shape + 1;
};
