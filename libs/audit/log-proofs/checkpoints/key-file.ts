import { generateKeyPairSync, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { secretFileProblem } from '@app/kernel';
import { KeyRefused, readSigningKey, readVerifyKey, type SigningKey, type VerifyKey } from './log-key';

const FILE_BYTES_MAX = 65_536;
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

const textOf = (path: string, isSecret: boolean): string => {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const { mode, size, isFile } = ((stat) => ({ mode: stat.mode, size: stat.size, isFile: stat.isFile() }))(fstatSync(descriptor));
    if (!isFile || size > FILE_BYTES_MAX) throw new KeyRefused('a regular file of at most 65536 bytes is expected');
    const problem = isSecret && process.platform !== 'win32' ? secretFileProblem(resolve(path), mode) : undefined;
    if (problem !== undefined) throw new KeyRefused(problem);
    return readFileSync(descriptor, 'utf8');
  } catch (error) {
    if (error instanceof KeyRefused) throw error;
    throw new KeyRefused(`it cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})`);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
};

const named = <Key>(path: string, read: () => Key): Key => {
  try {
    return read();
  } catch (error) {
    throw error instanceof KeyRefused ? new KeyRefused(`${path}: ${error.message}`) : error;
  }
};

/** @throws KeyRefused where there is none, others may use the file, or it holds another kind of key; never with its content */
export const readSigningKeyFile = (path: string): SigningKey => named(path, () => readSigningKey(textOf(path, true)));

/** @throws KeyRefused */
export const readVerifyKeyFile = (path: string): VerifyKey => named(path, () => readVerifyKey(textOf(path, false)));

/**
 * Makes a new key in a file for its owner alone: the file appears whole or not at all, and never replaces another.
 * @throws KeyRefused where there is one already, or it cannot be written
 */
export const makeSigningKeyFile = (path: string): SigningKey => {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  const unfinished = `${path}.${randomBytes(8).toString('hex')}.new`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE });
    const descriptor = openSync(unfinished, 'wx', FILE_MODE);
    try {
      writeSync(descriptor, pem);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    linkSync(unfinished, path);
  } catch (error) {
    const { code = 'unwritable' } = error as NodeJS.ErrnoException;
    throw new KeyRefused(
      code === 'EEXIST' ? `${path}: there is a file already, which is left as it is` : `${path}: it cannot be made (${code})`,
    );
  } finally {
    rmSync(unfinished, { force: true });
  }
  return readSigningKeyFile(path);
};

/** The sandbox's own key, made at its first start: of processes that start at once one makes it, and the others use it. @throws KeyRefused */
export const readOrMakeSigningKeyFile = (path: string): SigningKey => {
  if (existsSync(path)) return readSigningKeyFile(path);
  try {
    return makeSigningKeyFile(path);
  } catch (error) {
    if (existsSync(path)) return readSigningKeyFile(path);
    throw error;
  }
};
