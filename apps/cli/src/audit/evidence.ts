import { closeSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { packageRoot, readEnvironment } from '@app/configuration';
import { CommandFailed, EXIT } from '../command-failed';
import { askForFile, claimOf } from '../operator/operator-port';
import { operatorToken } from '../operator/operator-token';
import { asJson, type Output } from '../terminal/output';
import { orderPath } from './order-path';

export interface EvidenceOptions {
  readonly reason: string;
  readonly out: string;
  readonly at?: string;
  readonly merchant?: string;
  readonly actor?: string;
}

/** A pack folds up to 200 earlier orders and proves each of its events. */
const MAKING_MS = 120_000;
/** It has personal data of the consumer. */
const OWNER_ALONE = 0o600;

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
export const evidence = async (order: string, { out, at, reason, merchant, actor }: EvidenceOptions, output: Output): Promise<void> => {
  const environment = readEnvironment(process.env, packageRoot());
  const token = operatorToken(process.env, environment);
  const path = `${orderPath(order)}/evidence`;
  const file = openNew(out);
  try {
    const question = { reason, ...(at !== undefined && { at }), ...(merchant !== undefined && { merchant }), ...claimOf(actor) };
    const pack = await askForFile(environment, token, path, question, MAKING_MS);
    writeFileSync(file, pack);
    if (output.isJson) output.line(asJson({ file: out, bytes: pack.length }));
    else output.line(`${out}: ${pack.length} bytes, with personal data of the consumer; python3 verify.py of it checks it anywhere`);
  } catch (error) {
    unlinkSync(out);
    throw error;
  } finally {
    closeSync(file);
  }
};
