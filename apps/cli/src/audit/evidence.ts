import { hash } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { fileInPack } from '@app/investigation';
import { packageRoot, readEnvironment } from '@app/configuration';
import { CommandFailed, EXIT } from '../command-failed';
import { askForFile, claimOf } from '../service/operator-port';
import { operatorToken } from '../service/operator-token';
import { asJson, type Output } from '../terminal/output';
import { nameKindOf, type NameOptions } from '../order/one-order';
import { orderPath } from '../order/order-path';

export interface EvidenceOptions extends NameOptions {
  readonly reason: string;
  readonly out: string;
  readonly at?: string;
  readonly actor?: string;
}

/** A pack folds up to 200 earlier orders and proves each of its events. */
const MAKING_MS = 120_000;
/** It has personal data of the consumer. */
const OWNER_ALONE = 0o600;

/** What whoever gets a pack has to have by another way: a forged one has a key and a program of its own. */
const toCompare = (pack: Uint8Array): { readonly publicKey: string; readonly verifierSha256: string } => {
  const file = (name: string): Buffer => Buffer.from(fileInPack(pack, name) ?? []);
  return { publicKey: file('log-key.txt').toString().trim(), verifierSha256: hash('sha256', file('verify.py'), 'hex') };
};

/** Opens the file before anything is asked: a pack that is on record and lies nowhere would be a question for nothing. @throws CommandFailed */
const openNew = (path: string): number => {
  try {
    return openSync(path, 'wx', OWNER_ALONE);
  } catch (error) {
    const { code = 'unwritable' } = error as NodeJS.ErrnoException;
    throw new CommandFailed(code === 'EEXIST' ? `${path} is there already` : `${path}: it cannot be written (${code})`, EXIT.usage);
  }
};

/** `orch evidence <order> -o pack.zip`: the evidence pack of an order, which the running service makes and records. @throws CommandFailed */
export const evidence = async (order: string, options: EvidenceOptions, output: Output): Promise<void> => {
  const { out, at, reason, merchant, actor } = options;
  const by = nameKindOf(options);
  const environment = readEnvironment(process.env, packageRoot());
  const token = operatorToken(process.env, environment);
  const path = `${orderPath(order)}/evidence`;
  const file = openNew(out);
  try {
    const question = {
      reason,
      ...(at !== undefined && { at }),
      ...(merchant !== undefined && { merchant }),
      ...(by && { by }),
      ...claimOf(actor),
    };
    const pack = await askForFile(environment, token, path, question, MAKING_MS);
    writeFileSync(file, pack);
    const { publicKey, verifierSha256 } = toCompare(pack);
    if (output.isJson) {
      output.line(asJson({ file: out, bytes: pack.length, publicKey, verifierSha256 }));
      return;
    }
    output.line(`${out}: ${pack.length} bytes, with those personal data of the consumer that are not erased`);
    output.line('Whoever gets it checks it by verify.py, and compares these two, which you tell them by another way:');
    output.line(`  key                   ${publicKey}`);
    output.line(`  SHA-256 of verify.py  ${verifierSha256}`);
  } catch (error) {
    unlinkSync(out);
    throw error;
  } finally {
    closeSync(file);
  }
};
