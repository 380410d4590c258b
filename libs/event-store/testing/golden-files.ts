import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyEvent, EventCodec } from '../core/codec/codec';
import type { EventId, NewEvent, Revision, StoredEvent, StreamName } from '../core/port';

/** A stored event of one version, `<Type>.v<version>.json` in a folder `golden`. Never change or delete one. */
interface GoldenFile {
  readonly type: string;
  readonly version: number;
  readonly data: object;
}

const FILE_NAME = /^([A-Za-z0-9]+)\.v([1-9]\d*)(?:\.[a-z0-9-]+)?\.json$/;

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
};

const envelope = {
  correlation: 'golden',
  causation: 'golden',
  actor: 'golden',
  merchant: 'golden',
  commandId: 'golden',
  recordedAt: 0 as never,
} as const;

const asStored = (event: NewEvent): StoredEvent => ({
  ...event,
  stream: 'golden-1' as StreamName,
  revision: 0n as Revision,
  position: '1' as never,
  createdMs: 0,
});

/**
 * Old versions must stay readable (architecture, rule 8): each golden file decodes, and files of the newest version are reproduced byte for
 * byte. Every type, version and newest member needs a file. A suffix separates files of one version: `OrderAccepted.v1.with-cvv.json`.
 */
export const goldenSpec = <Event extends AnyEvent>(codec: EventCodec<Event>, ...folders: readonly string[]): void => {
  describe(`golden events of ${codec.category}`, () => {
    const places = new Map(folders.flatMap((folder) => readdirSync(folder).map((file) => [file, join(folder, file)] as const)));
    const files = [...places.keys()].filter((file) => file.endsWith('.json'));
    const read = (file: string): GoldenFile => JSON.parse(readFileSync(places.get(file) ?? file, 'utf8')) as GoldenFile;
    const catalogue = codec.describe();
    const newest = new Map(catalogue.map(({ type, version }) => [type, version]));
    const expected = catalogue.flatMap(({ type, version }) => Array.from({ length: version }, (_, index) => `${type}.v${index + 1}`));

    it('have exactly one set of files for every type and version', () => {
      const shapes = new Set(files.map((file) => file.split('.').slice(0, 2).join('.')));
      expect([...shapes].sort()).toStrictEqual([...expected].sort());
    });

    it('contain each member of the newest version in at least one file', () => {
      const isNewest = (type: string, { version }: GoldenFile): boolean => version === newest.get(type);
      const told = (type: string): readonly string[] =>
        files
          .filter((file) => file.startsWith(`${type}.`))
          .map(read)
          .flatMap((golden) => (isNewest(type, golden) ? Object.keys(golden.data) : []));
      const missing = catalogue.flatMap(({ type, fields }) => {
        const members = [...new Set(fields.map(({ path }) => path.split(/[.[(]/, 1)[0] ?? path))];
        return members.filter((member) => !told(type).includes(member)).map((member) => `${type}.${member}`);
      });
      expect(missing).toStrictEqual([]);
    });

    it.each(files)('%s decodes and survives a round trip', (file) => {
      const [, type, version] = FILE_NAME.exec(file) ?? [];
      const golden = read(file);
      expect({ type: golden.type, version: golden.version }).toStrictEqual({ type, version: Number(version) });
      const stored = asStored({
        id: '00000000-0000-5000-8000-000000000001' as EventId,
        type: golden.type,
        data: JSON.stringify(sorted(golden.data)),
        metadata: `{"schemaVersion":${golden.version}}`,
      });
      const event = codec.decode(stored);
      const [written] = codec.encode([event], stored.stream, 'no_stream', envelope);
      expect(codec.decode(asStored(written))).toStrictEqual(codec.decode(stored));
      if (golden.version === newest.get(golden.type)) expect(written.data).toBe(stored.data);
    });
  });
};
