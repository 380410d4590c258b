import type { StreamName } from '@app/event-store';
import { addMs, type Clock, type Instant } from '@app/kernel';
import { erasedCards, erasedTexts } from './domain/erasure';
import { retentionDue, type AgedOrder, type RetentionRules } from './domain/retention';
import type { EraseOrder, ErasureAnswer, ErasableData } from './erase-order';

/** Interval for rechecking obstructed or held orders. */
export const LOOKED_AT_AGAIN_MS = 24 * 60 * 60 * 1_000;
/** Interval for rechecking fully erased orders, since a later follow-up may have added a text. */
export const LOOKED_AT_WHOLE_MS = 365 * LOOKED_AT_AGAIN_MS;

export interface AgedErasableData extends ErasableData {
  /** Undefined until the order has ended. */
  readonly aged: AgedOrder | undefined;
}

interface RetainOrderPorts {
  readonly erasing: Pick<EraseOrder, 'erase' | 'recordOf'>;
  readonly erasableData: { of(stream: StreamName): Promise<AgedErasableData | undefined> };
  readonly rules: RetentionRules;
  readonly clock: Clock;
}

const BY = { actor: 'orchestrator' };

const isThere = (answer: ErasureAnswer): boolean => answer.reason === 'erased' || answer.reason === 'erased-before';

/** Erases an order's data that are due by the rules, except if it is on hold or the data are still needed. */
export class RetainOrder {
  constructor(private readonly ports: RetainOrderPorts) {}

  /** Resolves to the time of the next check. @throws as `EraseOrder.erase` */
  async retain(stream: StreamName): Promise<Instant> {
    const { erasing, erasableData, rules, clock } = this.ports;
    const now = clock.now();
    const again = addMs(now, LOOKED_AT_AGAIN_MS);
    const record = await erasing.recordOf(stream);
    if (record.heldSince !== undefined) return again;
    const held = await erasableData.of(stream);
    if (held?.aged === undefined) return again;
    const due = retentionDue(rules, held.aged);
    const waiting: Instant[] = [];
    for (const { what, at, isLeft } of [
      // Cards first: an active reference would keep the texts.
      { what: 'cards' as const, at: due.cards, isLeft: held.cards.some(({ handle }) => !erasedCards(record).has(handle)) },
      { what: 'texts' as const, at: due.texts, isLeft: held.texts.some((key) => !erasedTexts(record).has(key)) },
    ]) {
      if (!isLeft || at === undefined) continue;
      if (at > now) waiting.push(at);
      else if (!isThere(await erasing.erase(stream, { cause: 'retention', what, endsReferences: what === 'cards', by: BY })))
        waiting.push(again);
    }
    return waiting.length === 0 ? addMs(now, LOOKED_AT_WHOLE_MS) : (Math.min(...waiting) as Instant);
  }
}
