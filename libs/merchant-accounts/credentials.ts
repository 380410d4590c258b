import type { KeyObject } from 'node:crypto';
import { resolve } from 'node:path';
import { Secret } from '@app/kernel';
import { readBoundedFile } from './bounded-file';
import { isCallbackSecret } from './callback-secret';
import { controlKeyIdentity, isControlKey } from './control-key';
import { faultAt, type Fault, type Path } from './fault';
import { oauthPublicKeyFrom } from './oauth-public-key';
import type { MerchantReferences } from './references';

const KEY_FILE_BYTES_MAX = 65_536;

/** What proves that a merchant, or we, are who we say. */
export interface Credentials {
  readonly controlKey?: Secret<string>;
  readonly callbackSecret?: Secret<string>;
  readonly oauthPublicKey?: KeyObject;
}

export interface SecretPlace {
  readonly name: string;
  readonly inFile: string | undefined;
  readonly named: string | undefined;
  readonly parent: Path;
  readonly isRequired: boolean;
  readonly what: string;
  readonly accepts: (text: string) => boolean;
}

const LINE_END = /\r?\n$/;

/** Of the two forms of a secret, in the file and by file name, exactly one (or none, where it is not required). */
export const secretAt = (place: SecretPlace, folder: string, faults: Fault[]): Secret<string> | undefined => {
  const { name, inFile, named, parent } = place;
  const path = [...parent, name];
  const filePath = [...parent, `${name}File`];
  if (inFile !== undefined && named !== undefined) {
    faults.push(faultAt(filePath, `stands beside ${name}: one of the two`));
    return undefined;
  }
  const text = inFile ?? (named === undefined ? undefined : readBoundedFile(resolve(folder, named), KEY_FILE_BYTES_MAX));
  const at = inFile === undefined ? filePath : path;
  if (text === undefined) {
    if (place.isRequired) faults.push(faultAt(path, `is required (or ${name}File)`));
    return undefined;
  }
  if (typeof text !== 'string') {
    faults.push(faultAt(at, text.problem));
    return undefined;
  }
  const value = inFile ?? text.replace(LINE_END, '');
  if (!place.accepts(value)) {
    faults.push(faultAt(at, `must ${inFile === undefined ? 'name a file that holds' : 'be'} ${place.what}`));
    return undefined;
  }
  return new Secret(value);
};

/** @param taken the keys of those before, for no two share one */
export const controlKeyAt = (
  owner: Pick<MerchantReferences, 'controlKey' | 'controlKeyFile'>,
  parent: Path,
  folder: string,
  taken: Set<string>,
  faults: Fault[],
): Secret<string> | undefined => {
  const controlKey = secretAt(
    {
      name: 'controlKey',
      inFile: owner.controlKey,
      named: owner.controlKeyFile,
      parent,
      isRequired: true,
      what: 'hexadecimal once its dashes are removed, of an even length, at least 16 bytes',
      accepts: isControlKey,
    },
    folder,
    faults,
  );
  if (controlKey === undefined) return undefined;
  const identity = controlKeyIdentity(controlKey.reveal());
  const at = owner.controlKey === undefined ? 'controlKeyFile' : 'controlKey';
  if (taken.has(identity)) faults.push(faultAt([...parent, at], 'is the control key of another merchant'));
  taken.add(identity);
  return controlKey;
};

const publicKeyAt = (file: string | undefined, folder: string, path: Path, faults: Fault[]): KeyObject | undefined => {
  if (file === undefined) return undefined;
  const pem = readBoundedFile(resolve(folder, file), KEY_FILE_BYTES_MAX);
  const key = typeof pem === 'string' ? oauthPublicKeyFrom(pem) : pem;
  if (!('problem' in key)) return key;
  faults.push(faultAt(path, key.problem));
  return undefined;
};

/** One entry a merchant, in their order; key files are looked for from `folder`, where the configuration file lies. */
export const credentialsOf = (
  merchants: readonly MerchantReferences[],
  folder: string,
): { readonly credentials: readonly Credentials[]; readonly faults: readonly Fault[] } => {
  const faults: Fault[] = [];
  const keys = new Set<string>();
  const credentials = merchants.map((merchant, index): Credentials => {
    const parent = ['merchants', index];
    const controlKey = controlKeyAt(merchant, parent, folder, keys, faults);
    const callbackSecret = secretAt(
      {
        name: 'secret',
        inFile: merchant.callback.secret,
        named: merchant.callback.secretFile,
        parent: [...parent, 'callback'],
        isRequired: false,
        what: 'whsec_ and 24 to 64 bytes in base64',
        accepts: isCallbackSecret,
      },
      folder,
      faults,
    );
    const oauthPublicKey = publicKeyAt(merchant.oauthPublicKeyFile, folder, [...parent, 'oauthPublicKeyFile'], faults);
    return {
      ...(controlKey && { controlKey }),
      ...(callbackSecret && { callbackSecret }),
      ...(oauthPublicKey && { oauthPublicKey }),
    };
  });
  return { credentials, faults };
};
