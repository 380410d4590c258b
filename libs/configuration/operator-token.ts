import { hash, randomBytes } from 'node:crypto';
import { chmodSync, existsSync, linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { secretFileProblem, type MerchantLogin, type Secret } from '@app/kernel';
import { readBoundedFile, ConfigurationFault } from './reading/fault';

/** In ascending order: each role has all rights of the previous ones. */
export const OPERATOR_ROLES = ['viewer', 'investigator', 'operator', 'admin'] as const;
export type OperatorRole = (typeof OPERATOR_ROLES)[number];

/** A person who may use the operator port. We store only a hash of the token. */
export interface Operator {
  readonly name: string;
  readonly role: OperatorRole;
  /** SHA-256 of the token's text, 32 bytes in lower-case hexadecimal. */
  readonly tokenSha256: string;
  /** The merchants whose orders the operator may see and change. Absent: all. */
  readonly merchants?: readonly MerchantLogin[];
}

/** What members of a group of the house may do. */
export interface GroupRole {
  readonly group: string;
  readonly role: OperatorRole;
  /** As an operator's. */
  readonly merchants?: readonly MerchantLogin[];
}

/** Sign-in by OpenID Connect. */
export interface SignInSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: Secret<string>;
  readonly scope: string;
  /** The claim with the operator's name, which must never pass to another person. */
  readonly nameClaim: string;
  readonly groupsClaim: string;
  /** The first group of the person applies. */
  readonly groups: readonly GroupRole[];
}

export const OPERATOR_NAME = /^(?!(?:\D*\d){12})[A-Za-z][A-Za-z0-9._@-]{0,63}$/;
export const OPERATOR_NAME_FORM = '1 to 64 of A-Z, a-z, 0-9, ., _, @ and -, starting with a letter, with fewer than 12 digits';

const TOKEN_BYTES = 32;
/** Makes a token recognisable to people and secret scanners. */
const PREFIX = 'orchop_';
const FILE_BYTES_MAX = 1_024;
const FILE_MODE = 0o600;
const TOKEN = /^[\x21-\x7e]{1,256}$/;

export const newOperatorToken = (): string => PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');

export const sha256OfToken = (token: string): string => hash('sha256', token, 'hex');

/** Checks the format: no blanks, and short enough for a header. */
export const isOperatorToken = (text: string): boolean => TOKEN.test(text);

/** @throws ConfigurationFault if the file is missing, readable by others, or has no token; never with the text */
export const readOperatorToken = (path: string): string => {
  const refuse = (problem: string): never => {
    throw new ConfigurationFault(path, [{ path: '', problem }]);
  };
  let problem: string | undefined;
  const text = readBoundedFile(path, FILE_BYTES_MAX, (mode) => {
    problem = secretFileProblem(resolve(path), mode);
  });
  if (typeof text !== 'string') return refuse(text.problem);
  if (problem !== undefined) return refuse(problem);
  const token = text.trim();
  return isOperatorToken(token) ? token : refuse('contains no token: write one line of at most 256 characters without spaces');
};

/**
 * The sandbox's own token, created at its first start. If processes start concurrently, one creates it and the others use it.
 * @throws ConfigurationFault
 */
export const readOrMakeOperatorToken = (path: string): string => {
  if (!existsSync(path)) makeFile(path, `${newOperatorToken()}\n`);
  return readOperatorToken(path);
};

/** Writes the file completely or not at all, and never over one that another process has just created. */
const makeFile = (path: string, text: string): void => {
  const temporary = `${path}.${randomBytes(8).toString('hex')}.new`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    try {
      writeFileSync(temporary, text, { flag: 'wx', mode: FILE_MODE });
      chmodSync(temporary, FILE_MODE);
      linkSync(temporary, path);
    } finally {
      rmSync(temporary, { force: true }); // throws if the path is no folder, or may not be entered
    }
  } catch (error) {
    if (existsSync(path)) return;
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new ConfigurationFault(path, [{ path: '', problem: `cannot be created (${code})` }]);
  }
};
