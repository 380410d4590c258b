import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { knownAnswers, KeyRingFault } from './key-ring';
import { createKeyRing, keyRingChangedAt, loadKeyRing, loadOrCreateKeyRing, retireKek, rotateKeyRing } from './key-ring-file';

const folder = mkdtempSync(join(tmpdir(), 'key-ring-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Content {
  version: unknown;
  primaryKek: unknown;
  keks: { id: unknown; key: unknown }[];
  indexKeys: { id: unknown; key: unknown }[];
  serviceKey: unknown;
  retired: unknown;
  knownAnswer: unknown;
}
let files = 0;
const write = (text: string, mode = 0o600): string => {
  const path = join(folder, `ring-${files++}.json`);
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
};
const made = (): Content => {
  const path = join(folder, `ring-${files++}.json`);
  createKeyRing(path);
  return JSON.parse(readFileSync(path, 'utf8')) as Content;
};
const changed = (change: (content: Content) => void): string => {
  const content = made();
  change(content);
  return write(JSON.stringify(content));
};
const newKey = (): string => randomBytes(32).toString('base64');
const faultOf = (path: string): Error => {
  try {
    loadKeyRing(path);
  } catch (error) {
    return error as Error;
  }
  throw new Error('the ring was taken');
};

describe('a new key ring', () => {
  it('is written as the only file of its folder with mode 0600 and loads unchanged', () => {
    const path = join(folder, 'new', 'ring.json');
    const ring = createKeyRing(path);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'new'))).toEqual(['ring.json']);
    expect(knownAnswers(loadKeyRing(path))).toEqual(knownAnswers(ring));
    expect(knownAnswers(ring).map(({ name }) => name)).toEqual(['kek:1', 'index:1', 'service']);
  });

  it('does not replace an existing file', () => {
    const path = join(folder, 'once.json');
    createKeyRing(path);
    const before = readFileSync(path);
    expect(() => createKeyRing(path)).toThrow(new KeyRingFault(`key ring ${path}: cannot be created (EEXIST)`));
    expect(readFileSync(path)).toEqual(before);
    expect(readdirSync(folder).filter((name) => name.endsWith('.new'))).toEqual([]);
  });

  it('reports the reason if it cannot be created, instead of reporting it as missing', () => {
    const file = join(folder, 'no-folder');
    writeFileSync(file, '');
    const path = join(file, 'ring.json');
    expect(() => loadOrCreateKeyRing(path)).toThrow(new KeyRingFault(`key ring ${path}: cannot be created (EEXIST)`));
  });

  it('shows no key when printed or serialised', () => {
    const path = join(folder, 'printed.json');
    const ring = createKeyRing(path);
    const text = JSON.parse(readFileSync(path, 'utf8')) as Content;
    const keys = [text.keks[0]?.key, text.indexKeys[0]?.key, text.serviceKey].map((key) => Buffer.from(String(key), 'base64'));
    const printed = inspect(ring, { depth: 10, showHidden: true }) + JSON.stringify(ring);
    for (const key of keys) {
      for (const shown of [key.toString('base64'), key.toString('hex'), key.toJSON().data.join(', ')]) expect(printed).not.toContain(shown);
    }
  });
});

describe('a key ring file is rejected', () => {
  it.each([0o644, 0o640, 0o604, 0o660, 0o601])('with mode %o, which gives other users access', (mode) => {
    const path = write(JSON.stringify(made()), mode);
    expect(faultOf(path)).toEqual(new KeyRingFault(`key ring ${path}: other users can access it (mode ${mode.toString(8)}); chmod 600 it`));
  });

  it('if it is missing or not a regular file', () => {
    expect(faultOf(join(folder, 'none.json')).message).toMatch(/cannot be read \(ENOENT\)$/);
    mkdirSync(join(folder, 'a-folder'));
    expect(faultOf(join(folder, 'a-folder')).message).toMatch(/is not a regular file$/);
  });

  it.each<[string, (content: Content) => void, RegExp]>([
    ['another version', (ring) => (ring.version = 2), /has another version than 1/],
    ['a member too many', (ring) => Object.assign(ring, { note: 'x' }), /has 1 members that version 1 does not know/],
    ['a primary that is not listed', (ring) => (ring.primaryKek = 2), /primaryKek must be the id of one of keks/],
    ['no KEK', (ring) => (ring.keks = []), /keks must list/],
    [
      'more KEKs than a ring holds',
      (ring) => (ring.keks = Array.from({ length: 65 }, (_, at) => ({ id: at + 1, key: newKey() }))),
      /keks must list 1 to 64/,
    ],
    ['an id twice', (ring) => ring.keks.push({ id: 1, key: newKey() }), /keks must list/],
    ['an id of more than four bytes', (ring) => ring.keks.push({ id: 2 ** 32, key: newKey() }), /keks must list/],
    ['a null entry', (ring) => ring.keks.push(null as never), /keks must list/],
    ['a short key', (ring) => (ring.indexKeys = [{ id: 1, key: randomBytes(31).toString('base64') }]), /indexKeys must list/],
    ['a key that is not base64', (ring) => (ring.serviceKey = 'z'.repeat(43)), /serviceKey must be 32 bytes/],
    ['no service key', (ring) => delete (ring as Partial<Content>).serviceKey, /serviceKey must be 32 bytes/],
    ['an invalid retired name', (ring) => (ring.retired = [1]), /retired must list names/],
    ['one key for two purposes', (ring) => (ring.serviceKey = ring.indexKeys[0]?.key), /one key serves two purposes/],
    ['a known answer that is not base64', (ring) => (ring.knownAnswer = '!'), /knownAnswer must be base64$/],
    ['a known answer that is a number', (ring) => (ring.knownAnswer = 1), /knownAnswer must be base64$/],
    ['no known answer', (ring) => (ring.knownAnswer = ''), /known answer does not open/],
    ['a wrong KEK', (ring) => (ring.keks = [{ id: 1, key: newKey() }]), /known answer does not open/],
    ['a wrong index key', (ring) => (ring.indexKeys = [{ id: 1, key: newKey() }]), /known answer does not open/],
    ['a wrong service key', (ring) => (ring.serviceKey = newKey()), /known answer does not open/],
    ['a key slipped in', (ring) => ring.keks.push({ id: 2, key: newKey() }), /known answer does not open/],
  ])('with %s', (_, change, problem) => {
    const fault = faultOf(changed(change));
    expect(fault).toBeInstanceOf(KeyRingFault);
    expect(fault.message).toMatch(problem);
  });

  const golden = (): Content => JSON.parse(readFileSync(join(__dirname, '..', 'golden', 'key-ring.v1.json'), 'utf8')) as Content;
  const swapIds = ([one, other]: Content['keks']): void => {
    if (one !== undefined && other !== undefined) [one.id, other.id] = [other.id, one.id];
  };

  it.each<[string, (content: Content) => void]>([
    ['another of its KEKs as the primary one', (ring) => (ring.primaryKek = 1)],
    ['the ids of two KEKs swapped', (ring) => swapIds(ring.keks)],
    ['a KEK under another id', (ring) => Object.assign(ring.keks[0] ?? {}, { id: 3 })],
    ['a KEK that is not the primary one replaced', (ring) => Object.assign(ring.keks[0] ?? {}, { key: newKey() })],
    ['a KEK that is not the primary one removed', (ring) => ring.keks.shift()],
    ['the ids of two index keys swapped', (ring) => swapIds(ring.indexKeys)],
    ['another index key as the first', (ring) => ring.indexKeys.reverse()],
    ['an index key under another id', (ring) => Object.assign(ring.indexKeys[0] ?? {}, { id: 3 })],
    ['its second index key replaced', (ring) => Object.assign(ring.indexKeys[1] ?? {}, { key: newKey() })],
    ['its second index key removed', (ring) => ring.indexKeys.pop()],
    ['another service key', (ring) => (ring.serviceKey = newKey())],
    ['a retired name more', (ring) => (ring.retired as string[]).push('kek:8')],
    ['a retired name less', (ring) => (ring.retired as string[]).pop()],
    ['another retired name', (ring) => (ring.retired = ['kek:7', 'index:8'])],
  ])('with %s, because the known answer covers it', (_, change) => {
    const content = golden();
    expect(() => loadKeyRing(write(JSON.stringify(content)))).not.toThrow();
    change(content);
    expect(faultOf(write(JSON.stringify(content))).message).toMatch(/known answer does not open/);
  });

  it.each(['', '[]', 'null', '"x"', '{"keks":'])('with the content %j, in a one-line message without the content', (text) => {
    expect(faultOf(write(text)).message).toMatch(/: (is not JSON|is not a JSON object)$/);
    const secret = newKey();
    expect(faultOf(write(`{"serviceKey":"${secret}`)).message).not.toContain(secret.slice(0, 6));
  });

  it('if it exceeds the maximum size', () => {
    expect(faultOf(write(' '.repeat(65_537))).message).toMatch(/has more than 65536 bytes$/);
  });
});

describe('rotating a key ring', () => {
  const stateOf = (path: string) => {
    const { primaryKekId, keks, retired, indexKeys } = loadKeyRing(path);
    return { primaryKekId, keks: [...keks.keys()], retired: [...retired], indexKeys: indexKeys.length };
  };
  const rotating = (name: string): string => {
    const path = join(folder, `${name}.json`);
    createKeyRing(path);
    return path;
  };

  it('adds a new primary key, keeps the former ones and writes a private file', () => {
    const path = rotating('rotated');
    const before = knownAnswers(loadKeyRing(path));
    expect(rotateKeyRing(path)).toBe(2);
    expect(stateOf(path)).toStrictEqual({ primaryKekId: 2, keks: [1, 2], retired: [], indexKeys: 1 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const after = new Map(knownAnswers(loadKeyRing(path)).map(({ name, answer }) => [name, answer]));
    for (const { name, answer } of before) expect(after.get(name)).toEqual(answer);
    expect(readdirSync(folder).filter((name) => name.includes('rotated.json.'))).toEqual([]);
  });

  it('retires a former key without reusing its id and rejects the primary key', () => {
    const path = rotating('retired');
    rotateKeyRing(path);
    expect(() => retireKek(path, 2)).toThrow('kek:2 is the primary key');
    expect(() => retireKek(path, 7)).toThrow('has no kek:7');
    retireKek(path, 1);
    expect(stateOf(path)).toStrictEqual({ primaryKekId: 2, keks: [2], retired: ['kek:1'], indexKeys: 1 });
    expect(() => retireKek(path, 1)).toThrow('has no kek:1');
    rotateKeyRing(path);
    retireKek(path, 2);
    expect(rotateKeyRing(path)).toBe(4);
    expect(stateOf(path)).toStrictEqual({ primaryKekId: 4, keks: [3, 4], retired: ['kek:1', 'kek:2'], indexKeys: 1 });
  });

  it('fails if the ring is locked, damaged or missing and leaves the file unchanged', () => {
    const path = rotating('locked');
    const before = readFileSync(path);
    writeFileSync(`${path}.lock`, '');
    expect(() => rotateKeyRing(path)).toThrow(`is being changed by another; where nobody does, remove ${path}.lock`);
    rmSync(`${path}.lock`);
    expect(readFileSync(path)).toEqual(before);
    const broken = changed((content) => {
      content.serviceKey = newKey();
    });
    const bytes = readFileSync(broken);
    expect(() => rotateKeyRing(broken)).toThrow('its known answer does not open');
    expect(readFileSync(broken)).toEqual(bytes);
    expect(() => rotateKeyRing(join(folder, 'none.json'))).toThrow('cannot be read (ENOENT)');
    expect(() => keyRingChangedAt(join(folder, 'none.json'))).toThrow('cannot be read (ENOENT)');
  });

  it('updates the time of the last change', () => {
    const path = rotating('changed-at');
    utimesSync(path, 1_000, 2_000);
    expect(keyRingChangedAt(path)).toBe(2_000_000);
    rotateKeyRing(path);
    expect(keyRingChangedAt(path)).toBeGreaterThan(2_000_000);
  });

  it('fails above 64 keys', () => {
    const path = rotating('full');
    for (let id = 2; id <= 64; id++) expect(rotateKeyRing(path)).toBe(id);
    expect(() => rotateKeyRing(path)).toThrow('has 64 keys already: retire one first');
    expect(stateOf(path).keks).toHaveLength(64);
  });
});
