import { EventProofs } from '../log-proofs/event-proof';
import { FilesPlace } from '../log-proofs/checkpoint-places';
import { FolderFiles, type ProofFiles } from '../log-proofs/proof-files';
import { NotProven, type EvidencePorts } from './gather-evidence';
import { OriginDamaged, readOrigin } from '../log-proofs/checkpoint-issuer';
import { TileDamaged } from '../log-proofs/tiles';
import type { ReadableLog } from '../log-proofs/log-leaf';
import type { VerifyKey } from '../log-proofs/keys';

/**
 * Proves events by the tree that is kept beside the log.
 * @param directory of the tree
 */
export const provedBy =
  (log: ReadableLog, directory: string, key: VerifyKey | undefined): EvidencePorts['prove'] =>
  async (events, deadline) => {
    const files = new FolderFiles(directory);
    const origin = await originIn(files);
    if (origin === undefined) throw new NotProven('no checkpoint of the log is signed here yet');
    const made = await together({ log, files, places: [new FilesPlace(directory, files)], key, origin, deadline }, events);
    switch (made.kind) {
      case 'places':
        return made;
      case 'not-covered':
        throw new NotProven('no checkpoint reaches the newest of its events yet: one is signed every ten seconds');
      case 'event-differs':
        throw new NotProven('the log has another event than the one that was written in its place: orch log verify tells which');
      case 'no-leaf':
        throw new NotProven('an event of it has no hash chain, and is not in the tree');
    }
  };

const originIn = async (files: ProofFiles): Promise<string | undefined> => {
  try {
    return await readOrigin(files);
  } catch (error) {
    if (error instanceof OriginDamaged) throw new NotProven(error.message);
    throw error;
  }
};

const together = async (source: Parameters<typeof EventProofs.open>[0], events: Parameters<EventProofs['together']>[0]) => {
  try {
    return await (await EventProofs.open(source)).together(events);
  } catch (error) {
    if (error instanceof TileDamaged) throw new NotProven(`the tree of the log cannot be used: ${error.message}`);
    throw error;
  }
};
