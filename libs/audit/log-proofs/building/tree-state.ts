import type { Position } from '@app/event-store';
import type { ProofFiles } from '../files/proof-files';
import { EMPTY_ROOT, HASH_BYTES } from '../merkle';

/** How far the tree on the disk reaches. */
export interface TreeState {
  /** Leaves. */
  readonly size: number;
  /** Of the last event that was read; an event without a leaf counts too. */
  readonly position: Position | 'start';
  readonly root: Buffer;
}

export const STATE_PATH = 'state';
const VERSION = 1;
const EMPTY: TreeState = { size: 0, position: 'start', root: EMPTY_ROOT };

/** The state of the tree in these files, an empty one where there is none; undefined where the file is damaged. */
export const readTreeState = async (files: ProofFiles): Promise<TreeState | undefined> => {
  const bytes = await files.read(STATE_PATH);
  if (bytes === undefined) return EMPTY;
  try {
    const { version, size, position, root } = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>;
    const hash = Buffer.from(String(root), 'base64');
    const isWhole = version === VERSION && Number.isSafeInteger(size) && Number(size) >= 0 && typeof position === 'string';
    return isWhole && hash.length === HASH_BYTES ? { size: Number(size), position: position as Position, root: hash } : undefined;
  } catch {
    return undefined;
  }
};

export const writeTreeState = ({ size, position, root }: TreeState, files: ProofFiles): Promise<void> =>
  files.write(STATE_PATH, Buffer.from(`${JSON.stringify({ version: VERSION, size, position, root: root.toString('base64') })}\n`));
