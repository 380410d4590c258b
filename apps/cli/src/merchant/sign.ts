import { systemClock, systemIds } from '@app/kernel';
import { loadConfiguration, packageRoot, readEnvironment } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { CommandFailed, EXIT } from '../command-failed';
import { curlLine } from './curl-line';
import { readPrivateKey } from './private-key-file';
import { isSignedOperation, SIGNED_OPERATIONS, signRequest } from './sign-request';
import { asJson, type Output } from '../terminal/output';

export interface SignOptions {
  readonly endpoint?: string;
  readonly group?: string;
  /** File of the merchant's private key, for version 4. */
  readonly key?: string;
  readonly curl?: true;
}

/** `orch sign <operation> key=value ...`: the checksum of a request, in version 4 its Authorization header, or the whole request as a line for a shell. @throws CommandFailed */
export const sign = (operation: string, pairs: readonly string[], { endpoint, group, key, curl }: SignOptions, output: Output): void => {
  if (!isSignedOperation(operation)) throw new CommandFailed(`what can be signed: ${SIGNED_OPERATIONS.join(', ')}`, EXIT.usage);
  const { configurationPath } = readEnvironment(process.env, packageRoot());
  const configuration = loadConfiguration(configurationPath, process.env, GATE_ADAPTERS);
  const oauth = key === undefined ? undefined : { privateKey: readPrivateKey(key), nonce: systemIds.next(), now: systemClock.now() };
  const signed = signRequest({ operation, fields: fieldsOf(pairs), endpoint, group, oauth }, configuration);
  if (output.isJson) output.line(asJson({ ...signed, fields: Object.fromEntries(signed.fields), ...(curl && { curl: curlLine(signed) }) }));
  else output.line(curl === true ? curlLine(signed) : (signed.authorization ?? signed.control ?? ''));
};

export const fieldsOf = (pairs: readonly string[]): ReadonlyMap<string, string> => {
  const fields = new Map<string, string>();
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = pair.slice(0, Math.max(equals, 0));
    if (name === '') throw new CommandFailed('fields are given as key=value', EXIT.usage);
    if (fields.has(name)) throw new CommandFailed(`${name} is given twice`, EXIT.usage);
    fields.set(name, pair.slice(equals + 1));
  }
  return fields;
};
