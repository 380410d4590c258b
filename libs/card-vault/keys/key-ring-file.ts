import { createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import {
  chownSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { secretFileProblem } from '@app/kernel';
import { SealedBoxRefused, IV_BYTES, KEY_BYTES, open, seal, lp } from './sealed-box';
import { KEK_ID_MAX, KeyRingFault, type IndexKey, type KekId, type KeyRing } from './key-ring';

const VERSION = 1;
const FILE_MODE = 0o600;
const FILE_BYTES_MAX = 65_536;
const KEYS_MAX = 64;
const MEMBERS = ['version', 'primaryKek', 'keks', 'indexKeys', 'serviceKey', 'retired', 'knownAnswer'] as const;
const RETIRED_NAME = /^(kek|index):[1-9]\d{0,9}$/;
const KEK_PREFIX = 'kek:';
const KNOWN_TEXT = 'these keys are whole and belong together';

interface KeyText {
  readonly id: number;
  readonly key: string;
}

/** `knownAnswer` is sealed under the primary KEK over all other members, so that a changed key is detected before use. */
interface KeyRingText {
  readonly version: number;
  readonly primaryKek: KekId;
  readonly keks: readonly KeyText[];
  readonly indexKeys: readonly KeyText[];
  readonly serviceKey: string;
  readonly retired: readonly string[];
  readonly knownAnswer: string;
}

const boundTo = (text: Omit<KeyRingText, 'knownAnswer'>): Buffer =>
  lp([
    'key-ring',
    `v${text.version}`,
    String(text.primaryKek),
    lp(text.keks.flatMap(({ id, key }) => [String(id), key])),
    lp(text.indexKeys.flatMap(({ id, key }) => [String(id), key])),
    text.serviceKey,
    lp(text.retired),
  ]);

/**
 * Reads `VAULT_KEYRING` (safety, section 5.2).
 * @throws KeyRingFault in one line: missing, readable by others, malformed, or with a changed key
 */
export const loadKeyRing = (path: string): KeyRing => toKeyRing(readKeyRingText(path), refusing(path));

const refusing =
  (path: string) =>
  (problem: string): never => {
    throw new KeyRingFault(`key ring ${resolve(path)}: ${problem}`);
  };

/** @throws KeyRingFault */
const readKeyRingText = (path: string): KeyRingText => {
  const refuse = refusing(path);
  const bytes = readPrivateFile(path, refuse);
  let parsed: unknown;
  try {
    parsed = JSON.parse(bytes.toString('utf8'));
  } catch {
    return refuse('is not JSON'); // the parser's own message quotes the text, which contains keys
  } finally {
    bytes.fill(0);
  }
  return checkedText(parsed, refuse);
};

const newKey = (): string => randomBytes(KEY_BYTES).toString('base64');

const textOf = (content: Omit<KeyRingText, 'knownAnswer'>): string => {
  const primary = content.keks.find(({ id }) => id === content.primaryKek);
  const kek = createSecretKey(primary?.key ?? '', 'base64');
  const knownAnswer = seal(kek, randomBytes(IV_BYTES), Buffer.from(KNOWN_TEXT), boundTo(content)).toString('base64');
  return `${JSON.stringify({ ...content, knownAnswer }, null, 2)}\n`;
};

/**
 * Replaces the ring atomically and synced. A lock file serialises changes.
 * @throws KeyRingFault: it cannot be read or written, or another change is under way
 */
const changeKeyRing = (path: string, change: (text: KeyRingText) => Omit<KeyRingText, 'knownAnswer'>): void => {
  const target = resolve(path);
  const lock = `${target}.lock`;
  const temporary = `${target}.${randomBytes(8).toString('hex')}.new`;
  try {
    writeSynced(lock, '');
  } catch (error) {
    const why =
      codeOf(error) === 'EEXIST'
        ? `is being changed by another; where nobody does, remove ${lock}`
        : `cannot be changed (${codeOf(error)})`;
    throw new KeyRingFault(`key ring ${target}: ${why}`);
  }
  try {
    const text = readKeyRingText(path);
    toKeyRing(text, refusing(path)); // refuse to rewrite a damaged ring, which would make it look valid
    const { knownAnswer: _former, ...changed } = { ...text, ...change(text) };
    try {
      writeSynced(temporary, textOf(changed));
      keepOwner(target, temporary);
      loadKeyRing(temporary);
      renameSync(temporary, target);
    } finally {
      rmSync(temporary, { force: true });
    }
    syncFolder(dirname(target));
  } catch (error) {
    if (error instanceof KeyRingFault) throw error;
    throw new KeyRingFault(`key ring ${target}: cannot be changed (${codeOf(error)})`);
  } finally {
    rmSync(lock, { force: true });
  }
};

/** An administrator may change the ring of a service that runs as another user; the file keeps its owner. */
const keepOwner = (from: string, to: string): void => {
  const [{ uid, gid }, now] = [statSync(from), statSync(to)];
  if (uid !== now.uid || gid !== now.gid) chownSync(to, uid, gid);
};

/** Adds a new primary KEK; earlier ones stay for the rows under them. @returns the id of the new one. @throws KeyRingFault */
export const rotateKeyRing = (path: string): KekId => {
  let made: KekId = 0;
  changeKeyRing(path, (text) => {
    if (text.keks.length >= KEYS_MAX) throw new KeyRingFault(`key ring ${resolve(path)}: has ${KEYS_MAX} keys already: retire one first`);
    const former = text.retired.filter((name) => name.startsWith(KEK_PREFIX)).map((name) => Number(name.slice(KEK_PREFIX.length)));
    made = Math.max(...text.keks.map(({ id }) => id), ...former) + 1;
    return { ...text, primaryKek: made, keks: [...text.keks, { id: made, key: newKey() }] };
  });
  return made;
};

/** Removes a KEK permanently: data under it, in back-ups too, become unreadable. @throws KeyRingFault */
export const retireKek = (path: string, id: KekId): void =>
  changeKeyRing(path, (text) => {
    if (id === text.primaryKek) throw new KeyRingFault(`key ring ${resolve(path)}: kek:${id} is the primary key: rotate first`);
    if (!text.keks.some((one) => one.id === id)) throw new KeyRingFault(`key ring ${resolve(path)}: has no kek:${id}`);
    return { ...text, keks: text.keks.filter((one) => one.id !== id), retired: [...text.retired, `${KEK_PREFIX}${id}`] };
  });

/** Milliseconds since the epoch. @throws KeyRingFault */
export const keyRingChangedAt = (path: string): number => {
  try {
    return statSync(path).mtimeMs;
  } catch (error) {
    throw new KeyRingFault(`key ring ${resolve(path)}: cannot be read (${codeOf(error)})`);
  }
};

/**
 * Atomic and synced. Never replaces another ring: if two processes start at once, the second is refused.
 * @throws KeyRingFault
 */
export const createKeyRing = (path: string): KeyRing => {
  const target = resolve(path);
  const content = {
    version: VERSION,
    primaryKek: 1,
    keks: [{ id: 1, key: newKey() }],
    indexKeys: [{ id: 1, key: newKey() }],
    serviceKey: newKey(),
    retired: [],
  };
  const temporary = `${target}.${randomBytes(8).toString('hex')}.new`;
  try {
    mkdirSync(dirname(target), { recursive: true });
    try {
      writeSynced(temporary, textOf(content));
      linkSync(temporary, target); // a rename would replace a ring that another process has just created
    } finally {
      rmSync(temporary, { force: true });
    }
  } catch (error) {
    throw new KeyRingFault(`key ring ${target}: cannot be created (${codeOf(error)})`);
  }
  syncFolder(dirname(target));
  return loadKeyRing(path);
};

/** For a first start outside production. If processes start at once, one creates the ring and the others load it. @throws KeyRingFault */
export const loadOrCreateKeyRing = (path: string): KeyRing => {
  if (existsSync(path)) return loadKeyRing(path);
  try {
    return createKeyRing(path);
  } catch (error) {
    if (!existsSync(path)) throw error;
    return loadKeyRing(path);
  }
};

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? 'unknown';

const readPrivateFile = (path: string, refuse: (problem: string) => never): Buffer => {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK); // a pipe must not block the start
  } catch (error) {
    return refuse(`cannot be read (${codeOf(error)})`);
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) refuse('is not a regular file');
    const problem = secretFileProblem(resolve(path), stat.mode);
    if (problem !== undefined) refuse(problem);
    if (stat.size > FILE_BYTES_MAX) refuse(`has more than ${FILE_BYTES_MAX} bytes`);
    const bytes = Buffer.alloc(stat.size);
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(descriptor, bytes, length, bytes.length - length, null);
      if (read === 0) break;
      length += read;
    }
    return bytes.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
};

const writeSynced = (path: string, text: string): void => {
  const descriptor = openSync(path, 'wx', FILE_MODE);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

const syncFolder = (folder: string): void => {
  if (process.platform === 'win32') return; // Windows cannot open folders
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
};

const isId = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= KEK_ID_MAX;
const isKey = (value: unknown): value is string =>
  typeof value === 'string' && isBase64(value) && Buffer.byteLength(value, 'base64') === KEY_BYTES;
const isBase64 = (text: string): boolean => Buffer.from(text, 'base64').toString('base64') === text;
const isKeyList = (value: unknown): value is readonly KeyText[] =>
  Array.isArray(value) &&
  value.length >= 1 &&
  value.length <= KEYS_MAX &&
  value.every((item: Partial<Record<string, unknown>> | null) => isId(item?.['id']) && isKey(item['key'])) &&
  new Set(value.map(({ id }: KeyText) => id)).size === value.length;

const checkedText = (parsed: unknown, refuse: (problem: string) => never): KeyRingText => {
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return refuse('is not a JSON object');
  const text = parsed as Readonly<Record<(typeof MEMBERS)[number], unknown>>;
  const { version, primaryKek, keks, indexKeys, serviceKey, retired, knownAnswer } = text;
  if (version !== VERSION) return refuse(`has another version than ${VERSION}; start the release that wrote it`);
  const unknown = Object.keys(text).filter((name) => !(MEMBERS as readonly string[]).includes(name));
  if (unknown.length > 0) return refuse(`has ${unknown.length} members that version ${VERSION} does not know`);
  if (!isKeyList(keks)) return refuse(`keks must list 1 to ${KEYS_MAX} keys, each with its own id and ${KEY_BYTES} bytes in base64`);
  if (!isKeyList(indexKeys))
    return refuse(`indexKeys must list 1 to ${KEYS_MAX} keys, each with its own id and ${KEY_BYTES} bytes in base64`);
  if (!isKey(serviceKey)) return refuse(`serviceKey must be ${KEY_BYTES} bytes in base64`);
  if (!isId(primaryKek) || !keks.some(({ id }) => id === primaryKek)) return refuse('primaryKek must be the id of one of keks');
  if (!Array.isArray(retired) || !retired.every((name): name is string => typeof name === 'string' && RETIRED_NAME.test(name))) {
    return refuse('retired must list names such as kek:1 or index:1');
  }
  if (typeof knownAnswer !== 'string' || !isBase64(knownAnswer)) return refuse('knownAnswer must be base64');
  const keys = [...keks, ...indexKeys].map(({ key }) => key).concat(serviceKey);
  if (new Set(keys).size !== keys.length) return refuse('one key serves two purposes');
  return { version, primaryKek, keks, indexKeys, serviceKey, retired, knownAnswer };
};

const toKeyRing = (text: KeyRingText, refuse: (problem: string) => never): KeyRing => {
  const keyOf = ({ key }: { key: string }): KeyObject => createSecretKey(key, 'base64');
  const keks = new Map(text.keks.map((entry) => [entry.id, keyOf(entry)]));
  const [first, ...others] = text.indexKeys.map((entry): IndexKey => ({ id: entry.id, key: keyOf(entry) }));
  const primary = keks.get(text.primaryKek);
  if (first === undefined || primary === undefined) return refuse('has no primary keys');
  try {
    open(primary, Buffer.from(text.knownAnswer, 'base64'), boundTo(text));
  } catch (error) {
    if (!(error instanceof SealedBoxRefused)) throw error;
    return refuse('its known answer does not open: a key in it is not the one that it was written with');
  }
  return {
    primaryKekId: text.primaryKek,
    keks,
    indexKeys: [first, ...others],
    serviceKey: createSecretKey(text.serviceKey, 'base64'),
    retired: new Set(text.retired),
  };
};
