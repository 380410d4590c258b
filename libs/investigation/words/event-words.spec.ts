import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyEvent, EventId, Position, Revision, StoredEvent, StreamName } from '@app/event-store';
import { EVENT_CODECS } from '@app/read-models/queries';
import { concealSealed } from '../orders/sealed-texts';
import { eventWords } from './event-words';
import type { TrailEvent } from './trail-event';

const LIBS = join(__dirname, '../..');
const TEXTS = join(__dirname, 'golden', 'event-words.txt');
/** Categories whose events never occur in the audit trail of an order. */
const NOT_IN_A_TRAIL = [
  'configuration',
  'configurationChange',
  'once',
  'operatorSession',
  'randomSum',
  'routing',
  'screening',
  'serial',
  'switch',
  'velocity',
];
const CODECS = EVENT_CODECS.filter(({ category }) => !NOT_IN_A_TRAIL.includes(category));

const shown = (codec: (typeof CODECS)[number], { type, data }: AnyEvent): TrailEvent => {
  const fields = codec.describe().find((described) => described.type === type)?.fields ?? [];
  return { type, data: concealSealed(data, fields) } as TrailEvent;
};

/** Every stored event shape that a trail can contain, from the golden files. */
const goldenEvents = (): readonly (readonly [file: string, event: TrailEvent])[] =>
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
      return [[path, shown(codec, codec.decode(stored))] as const];
    });

const described = (): string =>
  goldenEvents()
    .map(([file, event]) => {
      const { title, facts, tone } = eventWords(event);
      return `${file}\n  ${title} (${tone})\n${facts.map((fact) => `    ${fact}\n`).join('')}`;
    })
    .join('');

/** `WRITE_GOLDEN=event-words` writes the texts; review the difference before you commit it. */
it('describes every stored event shape with the text of the golden file', () => {
  if (process.env['WRITE_GOLDEN'] === 'event-words') writeFileSync(TEXTS, described());
  expect(described()).toBe(readFileSync(TEXTS, 'utf8'));
});

it('has words for every event type of an audit trail', () => {
  const types = new Set(CODECS.flatMap((codec) => codec.describe().map(({ type }) => type)));
  const described = new Set<string>(goldenEvents().map(([, { type }]) => type));
  expect([...types].filter((type) => !described.has(type))).toStrictEqual([]);
});

it('shows an unsealed text, and escapes its control characters', () => {
  const released = { type: 'LegalHoldReleased', data: { reason: 'court\u001b[2J', releasedAt: '2024-01-01T00:00:00.000Z' } } as const;
  expect(eventWords(released).facts).toStrictEqual(['reason court\\u{1b}[2J']);
});

it('rejects an event of an unknown type', () => {
  const other: AnyEvent = { type: 'SomethingElse', data: {} };
  expect(() => eventWords(other as TrailEvent)).toThrow('SomethingElse');
});
