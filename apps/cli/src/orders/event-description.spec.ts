import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyEvent, EventId, Position, Revision, StoredEvent, StreamName } from '@app/event-store';
import type { Instant, Sealed } from '@app/kernel';
import { EVENT_CODECS } from '@app/read-models/queries';
import { attemptEvents, sampleOrder } from '@app/testing';
import { describeEvent } from './event-description';
import type { TimelineEvent } from './story';

const LIBS = join(__dirname, '../../../../libs');
const TEXTS = join(__dirname, 'golden', 'event-descriptions.txt');
/** Categories whose events never occur in the timeline of an order, card reference or delivery. */
const NOT_IN_A_TIMELINE = [
  'approval',
  'configuration',
  'configurationChange',
  'once',
  'operator',
  'operatorSession',
  'randomSum',
  'reconciliation',
  'routing',
  'screening',
  'serial',
  'switch',
  'velocity',
];
const CODECS = EVENT_CODECS.filter(({ category }) => !NOT_IN_A_TIMELINE.includes(category));

/** Every stored event shape that a timeline can contain, from the golden files. */
const goldenEvents = (): readonly (readonly [file: string, event: TimelineEvent])[] =>
  readdirSync(LIBS, { recursive: true, encoding: 'utf8' })
    .filter(
      (path) => /\/golden\/([a-z]+\/)?[A-Za-z]+\.v\d+(\.[a-z0-9-]+)?\.json$/.test(path) && !/^(card-vault|merchant-server)\//.test(path),
    )
    .sort()
    .flatMap((path) => {
      const { type, version, data } = JSON.parse(readFileSync(join(LIBS, path), 'utf8')) as { type: string; version: number; data: object };
      const known = CODECS.filter((codec) => codec.describe().some((described) => described.type === type));
      const codec =
        known.find(({ category }) => path.startsWith(category.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`))) ?? known[0];
      if (codec === undefined) return [];
      const stored: StoredEvent = {
        id: '00000000-0000-5000-8000-000000000001' as EventId,
        stream: 'golden-1' as StreamName,
        revision: 0n as Revision,
        position: '1' as Position,
        createdMs: 0,
        type,
        data: JSON.stringify(data),
        metadata: `{"schemaVersion":${version}}`,
      };
      return [[path, codec.decode(stored) as TimelineEvent] as const];
    });

const described = (): string =>
  goldenEvents()
    .map(([file, event]) => {
      const { title, facts, tone } = describeEvent(event);
      return `${file}\n  ${title} (${tone})\n${facts.map((fact) => `    ${fact}\n`).join('')}`;
    })
    .join('');

/** `WRITE_GOLDEN=event-descriptions` writes the texts; review the difference before you commit it. */
it('describes every stored event shape with the text of the golden file', () => {
  if (process.env['WRITE_GOLDEN'] === 'event-descriptions') writeFileSync(TEXTS, described());
  expect(described()).toBe(readFileSync(TEXTS, 'utf8'));
});

it('describes every event of the order, card and delivery categories', () => {
  const types = new Set(CODECS.flatMap((codec) => codec.describe().map(({ type }) => type)));
  const shown = new Set<string>(goldenEvents().map(([, { type }]) => type));
  expect([...types].filter((type) => !shown.has(type))).toStrictEqual([]);
});

it("marks erased texts as erased and an operator's reason as sealed", () => {
  const accepted = { type: 'OrderAccepted', data: sampleOrder() } as const;
  const { customer, details } = sampleOrder();
  expect(describeEvent(accepted, () => true).facts.at(-1)).toBe('customer and details [erased]');
  expect(describeEvent(accepted, (sealed) => sealed === customer && sealed !== details).facts.slice(-2)).toStrictEqual(
    customer === details ? ['endpoint 1001', 'customer and details [erased]'] : ['customer [erased]', 'details [sealed]'],
  );
  expect(
    describeEvent({ type: 'LegalHoldReleased', data: { reason: 'x' as Sealed, releasedAt: 1_704_067_200_000 as Instant } }, () => true)
      .facts,
  ).toStrictEqual(['reason [sealed]']);
});

it("escapes control characters in a gate's text", () => {
  const { facts } = describeEvent(attemptEvents.approved({ approvalCode: 'A\u001b[2J\nB' }));
  expect(facts).toContain('approval code A\\u{1b}[2J\\u{a}B');
});

it('rejects an event of an unknown type', () => {
  const other: AnyEvent = { type: 'SomethingElse', data: {} };
  expect(() => describeEvent(other as TimelineEvent)).toThrow('SomethingElse');
});
