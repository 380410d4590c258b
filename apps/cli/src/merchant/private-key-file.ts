import { createPrivateKey, type KeyObject } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { CommandFailed } from '../command-failed';

const KEY_FILE_BYTES_MAX = 65_536;

/** The private key that a merchant signs v4 requests with (interface, section 5.2). @throws CommandFailed with nothing of the file's content */
export const readPrivateKey = (path: string): KeyObject => {
  let key: KeyObject;
  try {
    if (statSync(path).size > KEY_FILE_BYTES_MAX) throw new Error('too large');
    key = createPrivateKey(readFileSync(path));
  } catch {
    throw new CommandFailed(`${path}: one private key in PEM, without a pass phrase, is expected`);
  }
  if (key.asymmetricKeyType !== 'rsa') throw new CommandFailed(`${path}: an RSA key is expected`);
  return key;
};
