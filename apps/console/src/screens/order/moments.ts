import type { Schemas } from '../../port';

type OrderSteps = Schemas['OrderSteps'];
export type StepEvent = Schemas['EventJson'];
export type FieldValue = Schemas['FieldChange']['after'];

/** `recorded`: when the event was stored. `gate`: when it happened, by the gate's own clock. */
export type Clock = 'gate' | 'recorded';

/** A place on the moment bar. */
export interface Place {
  /** ISO 8601, by the bar's clock. */
  readonly at: string;
  /** The events that count from here on; by the recorded clock there is one. */
  readonly events: readonly [StepEvent, ...StepEvent[]];
}

export interface StateField {
  readonly field: string;
  readonly value: FieldValue;
  /** The place that set the value. */
  readonly setAt: number;
  /** Set by the place itself at which the state is read. */
  readonly isChanged: boolean;
}

export interface DifferentField {
  readonly field: string;
  readonly before: FieldValue;
  readonly after: FieldValue;
  /** The place that set the later value. */
  readonly setAt: number;
}

interface Setting {
  readonly place: number;
  readonly value: FieldValue;
}

/** One event, or a request or an event outside the order's own stream. */
export type Cause = { readonly kind: 'elsewhere' | 'request'; readonly id: string } | { readonly kind: 'event'; readonly event: StepEvent };

interface PlacedChanges extends Place {
  readonly changes: readonly Schemas['FieldChange'][];
}

const byClock = ({ steps, trueSteps }: OrderSteps, clock: Clock): readonly PlacedChanges[] => {
  if (clock === 'recorded' || trueSteps === null)
    return steps.map(({ event, changes }) => ({ at: clock === 'recorded' ? event.knownAt : event.trueAt, events: [event], changes }));
  return trueSteps.flatMap(({ trueAt, revisions, changes }) => {
    const [first, ...more] = revisions.flatMap((revision) => steps[revision]?.event ?? []);
    return first === undefined ? [] : [{ at: trueAt, events: [first, ...more] as const, changes }];
  });
};

/**
 * Every state of an order by one clock. It keeps, for each field, the places that set it: a state at a place is found without a replay of
 * the events before it.
 */
export class Moments {
  readonly places: readonly Place[];
  /** Later times are missing, because too many events were recorded late. */
  readonly isCut: boolean;
  readonly #settings = new Map<string, Setting[]>();
  readonly #events: ReadonlyMap<string, StepEvent>;

  constructor(steps: OrderSteps, clock: Clock) {
    const placed = byClock(steps, clock);
    this.places = placed;
    this.isCut = clock === 'gate' && steps.areTrueStepsCut === true;
    this.#events = new Map(steps.steps.map(({ event }) => [event.id, event]));
    for (const [place, { changes }] of placed.entries())
      for (const { field, after } of changes) {
        const settings = this.#settings.get(field);
        if (settings === undefined) this.#settings.set(field, [{ place, value: after }]);
        else settings.push({ place, value: after });
      }
  }

  get last(): number {
    return this.places.length - 1;
  }

  /** Fields in the order in which they first got a value. A field that lost its value stays in the state of the place that took it. */
  stateAt(place: number): readonly StateField[] {
    const fields: StateField[] = [];
    for (const [field, settings] of this.#settings) {
      const setting = lastUntil(settings, place);
      if (setting === undefined) continue;
      const isChanged = setting.place === place;
      if (setting.value !== null || isChanged) fields.push({ field, value: setting.value, setAt: setting.place, isChanged });
    }
    return fields;
  }

  /** Fields whose values differ, in the order in which they first got a value. */
  difference(from: number, to: number): readonly DifferentField[] {
    const fields: DifferentField[] = [];
    for (const [field, settings] of this.#settings) {
      const setting = lastUntil(settings, to);
      if (setting === undefined || setting.place <= from) continue;
      const before = lastUntil(settings, from)?.value ?? null;
      if (before !== setting.value) fields.push({ field, before, after: setting.value, setAt: setting.place });
    }
    return fields;
  }

  /** The value before a place set it. */
  valueBefore(field: string, place: number): FieldValue {
    return lastUntil(this.#settings.get(field) ?? [], place - 1)?.value ?? null;
  }

  /** The place of a revision, or of a time: the last one that is not later. Undefined for a text that is neither, or a time before the order. */
  placeOf(text: string): number | undefined {
    if (/^\d{1,9}$/.test(text)) {
      const revision = Number(text);
      const place = this.places.findIndex(({ events }) => events.some((event) => event.revision === revision));
      return place === -1 ? undefined : place;
    }
    const atMs = Date.parse(text);
    if (Number.isNaN(atMs)) return undefined;
    const place = this.places.findLastIndex(({ at }) => Date.parse(at) <= atMs);
    return place === -1 ? undefined : place;
  }

  /** The name of a place in an address: the revision of its last event. */
  nameOf(place: number): string {
    return String(this.places[place]?.events.at(-1)?.revision ?? '');
  }

  /** Back to the request, nearest cause first. */
  causesOf(event: StepEvent): readonly Cause[] {
    const causes: Cause[] = [];
    let current = event;
    for (;;) {
      const { causation, correlation, revision } = current;
      const before = this.#events.get(causation);
      // A cause is always earlier; a damaged record must not make a loop.
      if (before === undefined || before.revision >= revision)
        return [...causes, { kind: causation === correlation ? 'request' : 'elsewhere', id: causation }];
      causes.push({ kind: 'event', event: before });
      current = before;
    }
  }
}

const lastUntil = (settings: readonly Setting[], place: number): Setting | undefined => {
  let [low, high] = [0, settings.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((settings[middle] as Setting).place <= place) low = middle + 1;
    else high = middle;
  }
  return settings[low - 1];
};

const spaced = (name: string): string =>
  name.replace(/([a-z\d])([A-Z])/g, (_, before: string, letter: string) => `${before} ${letter.toLowerCase()}`);

const LABELS: Readonly<Record<string, string>> = {
  acceptedAt: 'accepted',
  advice: 'issuer’s advice',
  case: 'case at the gate',
  clientOrderId: 'client order',
  code: 'result code',
  conflicts: 'contradictions by the gate',
  descriptor: 'text on the statement',
  eci: 'ECI',
  endpointId: 'entry point',
  finalAt: 'final',
  happenedAt: 'happened',
  initialAmount: 'initial amount',
  isAboveTaken: 'more went back than was taken',
  misfit: 'why it does not fit the order',
  orderId: 'order',
  payerDueAt: 'payer must authenticate by',
  processedAt: 'processed at the gate',
  processingAt: 'processing since',
  randomSum: 'check of the random sum',
  receiptId: 'receipt',
  receivedAt: 'received',
  respondBy: 'answer due',
  rrn: 'RRN',
  terminalId: 'terminal',
  cardRefId: 'card reference',
  transactionId: 'gate’s transaction',
  'card.bin': 'card BIN',
  'card.lastFour': 'last four digits of the card',
  'card.uid': 'card id',
  'destination.bin': 'receiving card BIN',
  'destination.brand': 'receiving card brand',
  'destination.lastFour': 'last four digits of the receiving card',
  'destination.uid': 'receiving card id',
};
const LISTS: Readonly<Record<string, string>> = {
  followUps: 'follow-up',
  reports: 'report',
  serials: 'request',
  gates: 'planned gate',
  callbacks: 'callback',
};

/** A field's path in words: `followUps[0].status` is "Follow-up 1, status". */
export const fieldLabel = (field: string): string => {
  const found = /^([A-Za-z]+)\[(\d+)\](?:\.(.+))?$/.exec(field);
  const [, list = '', index = '', member] = found ?? [];
  const words =
    found === null
      ? (LABELS[field] ?? spaced(field.replaceAll('.', ' ')))
      : `${LISTS[list] ?? spaced(list)} ${Number(index) + 1}${member === undefined ? '' : `, ${LABELS[member] ?? spaced(member.replaceAll('.', ' '))}`}`;
  return words.charAt(0).toUpperCase() + words.slice(1);
};
