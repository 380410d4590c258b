import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { grownShapes, shapeFaults, type EventShapes } from '@app/event-store/testing';
import { MERCHANT_SERVER_EVENT_CODECS } from '@app/merchant-server';
import { EVENT_CODECS } from './event-codecs';

/*
 * Recorded shapes and golden files must never change: a changed event gets a new version with an upcast, and a new file.
 * `WRITE_GOLDEN=event-shapes` only adds new ones.
 */
const LIBS = join(__dirname, '../..');
const FILE = join(__dirname, 'golden', 'event-shapes.json');

interface Recorded {
  readonly shapes: EventShapes;
  /** SHA-256 by the path below `libs`. */
  readonly goldenFiles: Readonly<Record<string, string>>;
}

const catalogue = [...EVENT_CODECS, ...MERCHANT_SERVER_EVENT_CODECS].flatMap((codec) => codec.describe());
const inLibs = (isWanted: (path: string) => boolean): readonly string[] =>
  readdirSync(LIBS, { recursive: true, encoding: 'utf8' })
    .map((path) => path.split(sep).join('/'))
    .filter(isWanted)
    .sort();
const goldenFiles = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    inLibs((path) => /\/golden\/(.+\/)?[A-Za-z]+\.v\d+(\.[a-z0-9-]+)?\.json$/.test(path) && !path.startsWith('card-vault/')).map((path) => [
      path,
      createHash('sha256')
        .update(readFileSync(join(LIBS, path)))
        .digest('hex'),
    ]),
  );

const recorded = ((): Recorded => {
  const before = JSON.parse(readFileSync(FILE, 'utf8')) as Recorded;
  if (process.env['WRITE_GOLDEN'] !== 'event-shapes' || shapeFaults(before.shapes, catalogue).length > 0) return before;
  const after: Recorded = { shapes: grownShapes(before.shapes, catalogue), goldenFiles: { ...goldenFiles(), ...before.goldenFiles } };
  writeFileSync(FILE, `${JSON.stringify(after, null, 2)}\n`);
  return after;
})();

describe('event shapes', () => {
  it('change only with a new version', () => {
    expect(shapeFaults(recorded.shapes, catalogue)).toStrictEqual([]);
  });

  it('are recorded, including new ones (WRITE_GOLDEN=event-shapes adds them)', () => {
    expect(recorded.shapes).toStrictEqual(grownShapes(recorded.shapes, catalogue));
  });

  it('have recorded golden files, none of them changed or removed', () => {
    expect(goldenFiles()).toStrictEqual(recorded.goldenFiles);
  });

  it('have golden files for every codec', () => {
    const codecs = inLibs((path) => path.endsWith('.ts') && !path.endsWith('.spec.ts')).filter((path) =>
      readFileSync(join(LIBS, path), 'utf8').includes(' = eventCodec<'),
    );
    const specs = inLibs((path) => path.endsWith('.spec.ts')).map((path) => readFileSync(join(LIBS, path), 'utf8'));
    const missing = codecs.flatMap((path) =>
      [...readFileSync(join(LIBS, path), 'utf8').matchAll(/export const (\w+)[^=\n]* = eventCodec</g)]
        .map(([, name]) => name ?? '')
        .filter((name) => !specs.some((spec) => new RegExp(`goldenSpec\\(\\s*${name},`).test(spec)))
        .map((name) => `${relative('.', path)}: ${name}`),
    );
    expect(codecs.length).toBeGreaterThan(10);
    expect(missing).toStrictEqual([]);
  });
});
