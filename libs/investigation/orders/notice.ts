import type { Instant } from '@app/kernel';
import type { OrderListFilter, OrderStatusView } from '@app/read-models';

/** Payment data from a chargeback notice. No index covers them, so each listed order is compared. */
export interface Notice {
  /** Part of the descriptor on the payer's statement, ignoring case. */
  readonly descriptor?: string;
  /** Time of payment or processing; start included, end excluded. */
  readonly seenFrom?: Instant;
  readonly seenTo?: Instant;
}

const DAY_MS = 86_400_000;
/** Processing may be long after acceptance, as in a captured pre-authorisation. */
const PROCESSED_WITHIN_MS = 31 * DAY_MS;

const isSpan = ({ seenFrom, seenTo }: Notice, at: Instant | null | undefined): boolean =>
  at !== null && at !== undefined && (seenFrom === undefined || at >= seenFrom) && (seenTo === undefined || at < seenTo);

const plain = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase();

export const fitsNotice = (notice: Notice, view: OrderStatusView): boolean => {
  const { descriptor, seenFrom, seenTo } = notice;
  const times = [view.acceptedAt, view.receipt?.processedAt, view.finalAt];
  const processed = view.followUps.flatMap(({ receipt, finalAt }) => [receipt?.processedAt, finalAt]);
  return (
    (descriptor === undefined || plain(view.gate?.descriptor ?? '').includes(plain(descriptor))) &&
    ((seenFrom ?? seenTo) === undefined || [...times, ...processed].some((at) => isSpan(notice, at)))
  );
};

/** Creation range of possible matches, so that the index limits the search. */
export const withinNotice = (filter: OrderListFilter, { seenFrom, seenTo }: Notice): OrderListFilter => {
  const from = Math.max(filter.createdFrom ?? 0, seenFrom === undefined ? 0 : seenFrom - PROCESSED_WITHIN_MS);
  const to = Math.min(filter.createdTo ?? Infinity, seenTo ?? Infinity);
  return {
    ...filter,
    ...(from > 0 && { createdFrom: from as Instant }),
    ...(to < Infinity && { createdTo: to as Instant }),
  };
};

const offsetOf = (zone: string, at: number): number => {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    ...{ year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' },
  }).formatToParts(at);
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value);
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')) - at;
};

const startOfDay = (day: number, zone: string): number => {
  const guess = day - offsetOf(zone, day);
  return day - offsetOf(zone, guess);
};

export const isZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
};

const dayOf = (text: string): number | undefined => {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00.000Z`) : NaN;
  return Number.isNaN(day) || !new Date(day).toISOString().startsWith(text) ? undefined : day;
};

export const isDay = (text: string): boolean => dayOf(text) !== undefined;

/** The day before to the day after, in a zone: a notice may use another zone, or the processing date. */
export const aroundDay = (text: string, zone: string): Required<Pick<Notice, 'seenFrom' | 'seenTo'>> => {
  const day = dayOf(text);
  if (day === undefined) throw new Error('a day that was not validated');
  return { seenFrom: startOfDay(day - DAY_MS, zone) as Instant, seenTo: startOfDay(day + 2 * DAY_MS, zone) as Instant };
};
