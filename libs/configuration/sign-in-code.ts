import { randomBytes, timingSafeEqual } from 'node:crypto';
import { rmSync, unlinkSync, writeFileSync } from 'node:fs';
import type { Instant } from '@app/kernel';
import { sha256OfToken } from './operator-token';
import { readBoundedFile } from './reading/fault';

const CODE_BYTES = 32;
const FILE_BYTES_MAX = 256;
const FILE_MODE = 0o600;
const VALID_MS = 15 * 60_000;
const CONTENT = /^([0-9a-f]{64}) (\d{1,16})\n$/;

const fileOf = (operatorTokenPath: string): string => `${operatorTokenPath}.code`;

/**
 * Makes a code that replaces the sandbox's token in one sign-in, within 15 minutes. The link of the console contains it in place of the token,
 * since a browser keeps addresses. Only the last code is valid.
 */
export const makeSignInCode = (operatorTokenPath: string, now: Instant): string => {
  const code = randomBytes(CODE_BYTES).toString('base64url');
  const path = fileOf(operatorTokenPath);
  // Otherwise an existing file would keep its mode.
  rmSync(path, { force: true });
  writeFileSync(path, `${sha256OfToken(code)} ${now + VALID_MS}\n`, { flag: 'wx', mode: FILE_MODE });
  return code;
};

/** True for the valid code, and only once: the file ends with its use, for every process. */
export const useSignInCode = (operatorTokenPath: string, code: string, now: Instant): boolean => {
  const path = fileOf(operatorTokenPath);
  const text = readBoundedFile(path, FILE_BYTES_MAX);
  const [, digest = '', until = '0'] = (typeof text === 'string' && CONTENT.exec(text)) || [];
  if (digest === '' || !timingSafeEqual(Buffer.from(digest), Buffer.from(sha256OfToken(code))) || now >= Number(until)) return false;
  try {
    unlinkSync(path);
    return true;
  } catch {
    return false;
  }
};
