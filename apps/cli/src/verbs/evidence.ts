import { hash } from 'node:crypto';
import { closeSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { fileInPack } from '@app/investigation';
import { ACTOR, CommandFailed, EXIT, REASON, writeResult, type CommandContext, type Output } from '../terminal';
import { claimOf, OperatorPort } from '../operator-port';
import { nameKindOf, orderCommand, orderPath, type NameOptions } from '../orders/order-name';

interface EvidenceOptions extends NameOptions {
  readonly reason: string;
  readonly out: string;
  readonly at?: string;
  readonly actor?: string;
}

/** A pack projects up to 200 earlier orders and proves each of its events. */
const MAKING_MS = 120_000;
/** The file contains a consumer's personal data. */
const OWNER_ALONE = 0o600;

/** Values that the recipient must receive separately: a forged pack contains its own key and program. */
const toCompare = (pack: Uint8Array): { readonly publicKey: string; readonly verifierSha256: string } => {
  const file = (name: string): Buffer => Buffer.from(fileInPack(pack, name) ?? []);
  return { publicKey: file('log-key.txt').toString().trim(), verifierSha256: hash('sha256', file('verify.py'), 'hex') };
};

const openNew = (path: string): number => {
  try {
    return openSync(path, 'wx', OWNER_ALONE);
  } catch (error) {
    const { code = 'unwritable' } = error as NodeJS.ErrnoException;
    throw new CommandFailed(
      code === 'EEXIST' ? `${path} already exists. Choose another file` : `${path} cannot be written (${code})`,
      EXIT.usage,
    );
  }
};

const evidence = async (order: string, options: EvidenceOptions, output: Output): Promise<void> => {
  const { out, at, reason, merchant, actor } = options;
  const port = OperatorPort.of();
  const path = `${orderPath(order)}/evidence`;
  const file = openNew(out);
  try {
    const question = { reason, at, merchant, by: nameKindOf(options), ...claimOf(actor) };
    const { bytes: pack } = await port.askAudited(path, question, MAKING_MS);
    writeFileSync(file, pack);
    const { publicKey, verifierSha256 } = toCompare(pack);
    writeResult(output, { file: out, bytes: pack.length, publicKey, verifierSha256 }, () => [
      `${out}: ${pack.length} bytes, with those personal data of the consumer that are not erased`,
      'The recipient checks it with verify.py and compares these two values, which you send another way:',
      `  key                   ${publicKey}`,
      `  SHA-256 of verify.py  ${verifierSha256}`,
    ]);
  } catch (error) {
    unlinkSync(out);
    throw error;
  } finally {
    closeSync(file);
  }
};

export const addEvidenceCommand = (program: Command, { output }: CommandContext): void => {
  orderCommand(program, 'evidence')
    .description(
      'write the evidence pack of an order for a dispute: events with proofs, consumer data, earlier orders; it can be verified offline',
    )
    .requiredOption('-o, --out <file>', 'the zip file to write; an existing file is never replaced')
    .requiredOption(...REASON)
    .option('--at <time>', 'leave out later records, such as 2026-11-24T08:30:00Z (default: the newest dispute, else the newest event)')
    .option(...ACTOR)
    .action((order: string, options: EvidenceOptions) => evidence(order, options, output()));
};
