import type { Brand, Currency, Instant, Money, OrderId, Sealed } from '@app/kernel';
import fc from 'fast-check';
import { codePoint } from '@app/testing/any-text';
import { canonicalize } from 'json-canonicalize';
import { hashOf } from '../chain';
import { eventCodec, UndecodableEvent, type EventCodec } from './codec';
import { metadataOf, previousHashOf, schemaVersionOf, type Envelope } from '../envelope';
import { EventRefused, type NewEvent, type Position, type Revision, type StoredEvent } from '../port';
import { f } from './schema';
import { streamName } from '../names-and-ids';

type Alias = Brand<string, 'Alias'>;
type Answer =
  | { readonly kind: 'approved'; readonly code: string; readonly at: Instant; readonly fee?: Money }
  | { readonly kind: 'declined'; readonly reason: number };
type Opened = {
  readonly type: 'Opened';
  readonly data: {
    readonly orderId: OrderId;
    readonly reference: string;
    readonly amount: Money;
    readonly limit: bigint;
    readonly customer: Sealed;
    readonly digest: string;
    readonly openedAt: Instant;
    readonly isFirst: boolean;
    readonly mode: 'sale' | 'preauth';
    readonly note: string;
    readonly gates: readonly { readonly gate: Alias; readonly max: bigint }[];
    readonly extra?: string;
    readonly limits: Readonly<Record<string, bigint>>;
    readonly rules: number;
  };
};
type Answered = { readonly type: 'Answered'; readonly data: { readonly answer: Answer } };
type SampleEvent = Opened | Answered;

const codec: EventCodec<SampleEvent> = eventCodec<SampleEvent>('sample', {
  Opened: {
    version: 1,
    meaning: 'a sample was opened',
    schema: f.object({
      orderId: f.id(),
      reference: f.merchantText(),
      amount: f.money(),
      limit: f.bigint(),
      customer: f.sealed(),
      digest: f.hash(),
      openedAt: f.instant(),
      isFirst: f.bool(),
      mode: f.oneOf('sale', 'preauth'),
      note: f.text(),
      gates: f.list(f.object({ gate: f.id(), max: f.bigint() })),
      extra: f.optional(f.text()),
      limits: f.record(f.bigint()),
      rules: f.int(),
    }),
  },
  Answered: {
    version: 1,
    meaning: 'the gate answered',
    schema: f.object({
      answer: f.tagged('kind', {
        approved: f.object({ code: f.gateReference(), at: f.instant(), fee: f.optional(f.money()) }),
        declined: f.object({ reason: f.int() }),
      }),
    }),
  },
});

const stream = streamName('sample', 'acme', 'order-1');
const envelope: Envelope = {
  correlation: '00000000-0000-0000-0000-0000000000a1',
  causation: '00000000-0000-0000-0000-0000000000a1',
  actor: 'merchant:acme',
  merchant: 'acme',
  commandId: 'c-1',
  recordedAt: 1_700_000_000_000 as Instant,
};
const opened: Opened = {
  type: 'Opened',
  data: {
    orderId: 'p00000000000000r' as OrderId,
    reference: '4111111111111111',
    amount: { minor: 1_050n, currency: 'USD' as Currency },
    limit: 12_345_678_901_234_567_890n,
    customer: 'c2VhbGVk' as Sealed,
    digest: 'ab12',
    openedAt: 1_700_000_000_000 as Instant,
    isFirst: true,
    mode: 'sale',
    note: 'übermäßig "€" 😀\n',
    gates: [{ gate: 'sim-a' as Alias, max: 5n }],
    limits: { b: 2n, a: 1n, é: 3n },
    rules: 3,
  },
};
const asStored = (event: NewEvent, revision = 0n): StoredEvent => ({
  ...event,
  stream,
  revision: revision as Revision,
  position: '1' as Position,
  createdMs: 0,
});
const encodeOne = (event: SampleEvent): NewEvent => codec.encode([event], stream, 'no_stream', envelope)[0];
const withData = (change: Record<string, unknown>): SampleEvent =>
  ({ type: 'Opened', data: { ...opened.data, ...change } }) as unknown as SampleEvent;

const plain = (value: unknown): unknown => {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
  return value;
};

const wellFormed = fc.string({ unit: codePoint, maxLength: 40 });
const amount = fc.record({ minor: fc.bigInt({ min: 0n, max: 10n ** 12n }), currency: fc.constantFrom('USD', 'EUR') });
const instant = fc.integer({ min: 0, max: 4_000_000_000_000 });
const openedEvents = fc.record(
  {
    orderId: wellFormed,
    reference: wellFormed,
    amount,
    limit: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }),
    customer: wellFormed,
    digest: fc.stringMatching(/^[0-9a-f]{0,64}$/),
    openedAt: instant,
    isFirst: fc.boolean(),
    mode: fc.constantFrom('sale', 'preauth'),
    note: fc.string({ unit: fc.constantFrom('a', '"', '\\', '\u0001', '\u2028', 'é', '😀'), maxLength: 40 }),
    gates: fc.array(fc.record({ gate: wellFormed, max: fc.bigInt({ max: 10n ** 30n, min: -5n }) }), { maxLength: 3 }),
    extra: fc.constantFrom('more', ''),
    limits: fc.dictionary(fc.stringMatching(/^[a-zé]{1,8}$/), fc.bigInt({ min: 0n, max: 10n ** 39n }), { maxKeys: 4 }),
    rules: fc.integer(),
  },
  {
    requiredKeys: [
      'orderId',
      'reference',
      'amount',
      'limit',
      'customer',
      'digest',
      'openedAt',
      'isFirst',
      'mode',
      'note',
      'gates',
      'limits',
      'rules',
    ],
  },
);
const answeredEvents = fc.oneof(
  fc.record({ kind: fc.constant('approved'), code: wellFormed, at: instant, fee: amount }, { requiredKeys: ['kind', 'code', 'at'] }),
  fc.record({ kind: fc.constant('declined'), reason: fc.integer({ min: 0, max: 999 }) }),
);
const events = fc.oneof(
  openedEvents.map((data) => ({ type: 'Opened', data }) as unknown as SampleEvent),
  answeredEvents.map((answer) => ({ type: 'Answered', data: { answer } }) as unknown as SampleEvent),
);
const normalise = (event: SampleEvent): SampleEvent => JSON.parse(JSON.stringify(plain(event))) as SampleEvent;

describe('eventCodec', () => {
  it('decodes any event that it encoded to the same event', () => {
    fc.assert(
      fc.property(events, (event) => {
        const decoded = codec.decode(asStored(encodeOne(event)));
        expect(decoded).toEqual(event);
        expect(normalise(decoded)).toStrictEqual(normalise(event));
      }),
      { numRuns: 2_000 },
    );
  });

  it('writes RFC 8785 text', () => {
    fc.assert(
      fc.property(events, (event) => {
        const encoded = encodeOne(event);
        expect(encoded.data).toBe(canonicalize(plain(event.data)));
        expect(encoded.metadata).toBe(canonicalize(JSON.parse(encoded.metadata)));
      }),
      { numRuns: 2_000 },
    );
  });

  it('writes the tag of a union in canonical order, in short and in long members', () => {
    const answered = (answer: Answer): string => encodeOne({ type: 'Answered', data: { answer } }).data;
    expect(answered({ kind: 'approved', code: 'x', at: 1 as Instant })).toBe('{"answer":{"at":1,"code":"x","kind":"approved"}}');
    expect(answered({ kind: 'declined', reason: 100 })).toBe('{"answer":{"kind":"declined","reason":100}}');
  });

  it('chains each event to the previous one, including the last event of an earlier append', () => {
    const answered: Answered = { type: 'Answered', data: { answer: { kind: 'declined', reason: 100 } } };
    const [first, second] = codec.encode([opened, answered], stream, 'no_stream', envelope) as readonly [NewEvent, NewEvent];
    expect(metadataOf(asStored(first))).toStrictEqual({
      correlation: envelope.correlation,
      causation: envelope.causation,
      actor: envelope.actor,
      merchant: envelope.merchant,
      schemaVersion: 1,
      recordedAt: envelope.recordedAt,
      previousHash: null,
      stream,
    });
    expect(metadataOf(asStored(second)).previousHash).toBe(hashOf(first));
    expect(previousHashOf(asStored(second))).toBe(hashOf(first));
    expect(previousHashOf(asStored(first))).toBeNull();
    expect(schemaVersionOf(asStored(second))).toBe(1);
    const [third] = codec.encode([answered], stream, { revision: 1n as Revision, hash: hashOf(second) }, { ...envelope, commandId: 'c-2' });
    expect(metadataOf(asStored(third)).previousHash).toBe(hashOf(second));
    expect(new Set([first.id, second.id, third.id]).size).toBe(3);
  });

  it('derives the same event ids from the same command, and different ids from another command', () => {
    expect(encodeOne(opened)).toStrictEqual(encodeOne(opened));
    const other = codec.encode([opened], stream, 'no_stream', { ...envelope, commandId: 'c-2' })[0];
    expect(other.id).not.toBe(encodeOne(opened).id);
  });

  const refused: readonly (readonly [what: string, event: SampleEvent, message: string])[] = [
    ['an unknown member', withData({ cvv2: '123' }), 'sample.Opened: data: 1 member(s) that the schema does not know'],
    ['a member that is missing', withData({ rules: undefined }), 'sample.Opened: data.rules: is missing'],
    ['undefined for an optional member', withData({ extra: undefined }), 'sample.Opened: data.extra: is missing'],
    ['a number for a text', withData({ note: 5 }), 'sample.Opened: data.note: a text is expected'],
    ['a fraction', withData({ rules: 1.5 }), 'sample.Opened: data.rules: a whole number is expected'],
    ['NaN', withData({ openedAt: NaN }), 'sample.Opened: data.openedAt: a whole number is expected'],
    ['a number for a bigint', withData({ limit: 5 }), 'sample.Opened: data.limit: a bigint is expected'],
    [
      'a money without a currency',
      withData({ amount: { minor: 1n } }),
      'sample.Opened: data.amount: minor and currency are expected, no more',
    ],
    ['a money of floats', withData({ amount: { minor: 1.5, currency: 'USD' } }), 'sample.Opened: data.amount: a bigint is expected'],
    ['a word that is not of the set', withData({ mode: 'refund' }), 'sample.Opened: data.mode: is none of the known words'],
    ['a lone surrogate', withData({ note: '\ud800' }), 'sample.Opened: data.note: half of a surrogate pair has no UTF-8 form'],
    ['a card number in a text', withData({ note: 'card 4111 1111 1111 1111' }), 'sample.Opened: data.note: looks like a card number'],
    ['a card number in an integer', withData({ rules: 4111111111111111 }), 'sample.Opened: data.rules: looks like a card number'],
    ['a card number as a name', withData({ limits: { '4111111111111111': 1n } }), 'sample.Opened: data.limits: looks like a card number'],
    ['a member of another kind in a record', withData({ limits: { a: 1 } }), 'sample.Opened: data.limits.{}: a bigint is expected'],
    ['a text for a hash', withData({ digest: 'a b' }), 'sample.Opened: data.digest: hex or base64 is expected'],
    [
      'an unknown member in a list',
      withData({
        gates: [
          { gate: 'a', max: 1n },
          { gate: 'b', max: 1 },
        ],
      }),
      'sample.Opened: data.gates[1].max: a bigint is expected',
    ],
    [
      'an unknown tag',
      { type: 'Answered', data: { answer: { kind: 'maybe' } } } as unknown as SampleEvent,
      'sample.Answered: data.answer.kind: is none of the known words',
    ],
    ['an unknown type', { type: 'Closed', data: {} } as unknown as SampleEvent, 'sample: no event type of this name'],
    ['a third member', { ...opened, note: 'x' } as unknown as SampleEvent, 'sample.Opened: an event has type and data, no more'],
  ];
  it.each(refused)('refuses %s with the type and field but not the value in the error', (_, event, message) => {
    expect(() => encodeOne(event)).toThrow(new EventRefused(message));
    expect(() => encodeOne(event)).toThrow(EventRefused);
  });

  it('accepts digits that look like a card number in fields that are not free text', () => {
    const event = withData({ reference: '4111111111111111', digest: '4111111111111111', customer: '4111111111111111' });
    expect(codec.decode(asStored(encodeOne(event)))).toEqual(event);
  });

  it('refuses to decode an unknown type, an unknown version and malformed data', () => {
    const good = asStored(encodeOne(opened));
    const undecodable = (change: Partial<StoredEvent>, message: string): void => {
      expect(() => codec.decode({ ...good, ...change })).toThrow(new UndecodableEvent(`${stream} revision 0: ${message}`));
    };
    undecodable({ type: 'Closed' }, 'no type of category sample');
    undecodable({ metadata: good.metadata.replace('"schemaVersion":1', '"schemaVersion":2') }, 'version 2 of Opened, this release knows 1');
    undecodable({ metadata: '{}' }, 'its metadata name no version');
    undecodable({ data: '{"note":"4111111111111111"' }, 'Opened version 1 cannot be read');
    undecodable({ data: '{}' }, 'Opened: amount: is missing');
    undecodable({ data: good.data.replace('"1050"', '1050') }, 'Opened: amount: a bigint as text is expected');
  });

  it('upcasts old versions one version at a time', () => {
    type Now = { readonly type: 'Moved'; readonly data: { readonly by: bigint; readonly unit: 'cm' | 'in' } };
    const moved = eventCodec<Now>('sample', {
      Moved: {
        version: 3,
        meaning: 'it moved',
        schema: f.object({ by: f.bigint(), unit: f.oneOf('cm', 'in') }),
        upcasts: {
          1: ({ distance, ...rest }) => ({ ...rest, by: String(distance) }),
          2: (stored) => ({ ...stored, unit: 'cm' }),
        },
      },
    });
    const old = (version: number, data: object) => ({
      ...asStored(encodeOne(opened)),
      type: 'Moved',
      data: JSON.stringify(data),
      metadata: `{"schemaVersion":${version}}`,
    });
    expect(moved.decode(old(1, { distance: 7 }))).toStrictEqual({ type: 'Moved', data: { by: 7n, unit: 'cm' } });
    expect(moved.decode(old(2, { by: '7' }))).toStrictEqual({ type: 'Moved', data: { by: 7n, unit: 'cm' } });
    expect(moved.decode(old(3, { by: '7', unit: 'in' }))).toStrictEqual({ type: 'Moved', data: { by: 7n, unit: 'in' } });
    const withoutUpcast = () =>
      eventCodec<Now>('sample', {
        Moved: { version: 2, meaning: 'it moved', schema: f.object({ by: f.bigint(), unit: f.oneOf('cm', 'in') }) },
      });
    expect(withoutUpcast).toThrow('sample.Moved: no upcast from version 1');
  });

  it.each([
    ['version 0', { version: 0, meaning: 'a test' }, 'order.Tested: a version is a whole number from 1'],
    ['version 1.5', { version: 1.5, meaning: 'a test' }, 'order.Tested: a version is a whole number from 1'],
    ['no meaning', { version: 1, meaning: ' ' }, 'order.Tested: has no meaning'],
  ])('throws for an event type with %s', (_, given, message) => {
    const made = () => eventCodec<{ type: 'Tested'; data: object }>('order', { Tested: { ...given, schema: f.object({}) } });
    expect(made).toThrow(new Error(message));
  });

  it('throws for a field called __proto__', () => {
    expect(() => f.object(Object.fromEntries([['__proto__', f.id()]]) as never)).toThrow(new Error('no field can be called __proto__'));
  });

  it('lists its types and fields for the event catalogue', () => {
    const [answered, first] = codec.describe();
    expect(answered).toStrictEqual({
      category: 'sample',
      type: 'Answered',
      version: 1,
      meaning: 'the gate answered',
      fields: [
        { path: 'answer', kind: 'tagged', optional: false, values: [] },
        { path: 'answer.kind', kind: 'one-of', optional: false, values: ['approved', 'declined'] },
        { path: 'answer(approved).at', kind: 'instant', optional: false, values: [] },
        { path: 'answer(approved).code', kind: 'gate-reference', optional: false, values: [] },
        { path: 'answer(approved).fee', kind: 'money', optional: true, values: [] },
        { path: 'answer(declined).reason', kind: 'int', optional: false, values: [] },
      ],
    });
    expect(first?.fields.filter(({ path }) => path.startsWith('gates')).map(({ path, kind }) => `${path} ${kind}`)).toStrictEqual([
      'gates list',
      'gates[] object',
      'gates[].gate id',
      'gates[].max bigint',
    ]);
  });
});

describe('f.object', () => {
  it('compiles only if each member has a field of its type', () => {
    type Data = { readonly id: OrderId; readonly at: Instant; readonly mode: 'a' | 'b'; readonly note?: string };
    const good = f.object<Data>({ id: f.id(), at: f.instant(), mode: f.oneOf('a', 'b'), note: f.optional(f.text()) });
    // @ts-expect-error a member is missing
    f.object<Data>({ id: f.id(), at: f.instant(), mode: f.oneOf('a', 'b') });
    // @ts-expect-error a member too many
    f.object<Data>({ id: f.id(), at: f.instant(), mode: f.oneOf('a', 'b'), note: f.optional(f.text()), more: f.int() });
    // @ts-expect-error a number is no text
    f.object<Data>({ id: f.int(), at: f.instant(), mode: f.oneOf('a', 'b'), note: f.optional(f.text()) });
    // @ts-expect-error a word too few
    f.object<Data>({ id: f.id(), at: f.instant(), mode: f.oneOf('a'), note: f.optional(f.text()) });
    // @ts-expect-error a word too many
    f.object<Data>({ id: f.id(), at: f.instant(), mode: f.oneOf('a', 'b', 'c'), note: f.optional(f.text()) });
    // @ts-expect-error optional is not required
    f.object<Data>({ id: f.id(), at: f.instant(), mode: f.oneOf('a', 'b'), note: f.text() });
    // @ts-expect-error required is not optional
    f.object<Data>({ id: f.optional(f.id()), at: f.instant(), mode: f.oneOf('a', 'b'), note: f.optional(f.text()) });
    // @ts-expect-error a case is missing
    f.object<{ readonly answer: Answer }>({ answer: f.tagged('kind', { declined: f.object({ reason: f.int() }) }) });
    expect(good.kind).toBe('object');
  });
});
