import { dirname, join, resolve } from 'node:path';
import { carryCheckpoints, FolderFiles, readVerifyKeyFile, type Carried } from '@app/audit';
import type { EventStoreAddress } from '@app/event-store/stores';
import { systemRandom } from '@app/kernel';
import { orKeyFailed } from '../log-proofs/verify-key';
import type { EventLogReader } from '../service/event-log';
import { openToRead } from './log-address';

export interface CarryOptions {
  readonly fromProofs?: string;
  readonly toProofs?: string;
  readonly key?: string;
}

export interface CarryParties {
  readonly source: EventLogReader;
  readonly from: EventStoreAddress;
  readonly to: EventStoreAddress;
  readonly options: CarryOptions;
  readonly knownCategories: ReadonlySet<string>;
}

/** What became of the checkpoints; `no-folder` where it is not known where one side keeps them. */
export type CarryOutcome = Carried | { readonly kind: 'no-folder' };

const NAME_BYTES = 16;

const folderOf = (given: string | undefined, at: EventStoreAddress): string | undefined => {
  if (given !== undefined) return resolve(given);
  return at.kind === 'file' ? join(dirname(at.path), 'log-proofs') : undefined;
};

/** Carries the checkpoints of a whole log to its copy. @throws CommandFailed */
export const carryTo = async ({ source, from, to, options, knownCategories }: CarryParties): Promise<CarryOutcome> => {
  const [fromFolder, toFolder] = [folderOf(options.fromProofs, from), folderOf(options.toProofs, to)];
  if (fromFolder === undefined || toFolder === undefined) return { kind: 'no-folder' };
  const keyPath = options.key ?? process.env['LOG_VERIFY_KEY'] ?? '';
  const key = keyPath === '' ? undefined : orKeyFailed('--key', () => readVerifyKeyFile(keyPath));
  const target = await openToRead('--to', to);
  try {
    return await carryCheckpoints({
      source: { log: source, files: new FolderFiles(fromFolder) },
      target: { log: target, files: new FolderFiles(toFolder) },
      key,
      knownCategories,
      random: systemRandom.bytes(NAME_BYTES),
    });
  } finally {
    await target.close();
  }
};
