import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Random } from '@app/kernel';
import type { Environment } from '../../processes/service';

const SOURCE = join(__dirname, 'unsynced.c');
const HEAD_BYTES = 1 + 4 * 8 + 3 * 4;
/** A disk writes a sector completely or not at all. */
const SECTOR_BYTES = 512;
const HALF = 0.5;

export const canLosePower = ((): boolean => {
  if (process.platform !== 'linux') return false;
  try {
    execFileSync('cc', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

interface Change {
  readonly kind: 'write' | 'truncation';
  readonly number: bigint;
  readonly offset: number;
  readonly oldSize: number;
  readonly old: Buffer;
  readonly fresh: Buffer;
}

interface FileRecord {
  readonly changes: Change[];
  syncedTo: bigint;
}

/** Changes by file path. An incomplete last record is dropped, because its change did not happen. */
export const readRecord = (bytes: Buffer): ReadonlyMap<string, FileRecord> => {
  const files = new Map<string, FileRecord>();
  for (let at = 0; at + HEAD_BYTES <= bytes.length;) {
    const [pathBytes, oldBytes, freshBytes] = [33, 37, 41].map((field) => bytes.readUInt32LE(at + field)) as [number, number, number];
    const pathAt = at + HEAD_BYTES;
    const oldAt = pathAt + pathBytes;
    const freshAt = oldAt + oldBytes;
    const next = freshAt + freshBytes;
    if (next > bytes.length) break;
    const path = bytes.toString('utf8', pathAt, oldAt);
    const file = files.get(path) ?? { changes: [], syncedTo: 0n };
    files.set(path, file);
    const kind = String.fromCharCode(bytes[at] ?? 0);
    const upTo = bytes.readBigUInt64LE(at + 9);
    if (kind === 's') file.syncedTo = upTo > file.syncedTo ? upTo : file.syncedTo;
    else
      file.changes.push({
        kind: kind === 'w' ? 'write' : 'truncation',
        number: bytes.readBigUInt64LE(at + 1),
        offset: Number(bytes.readBigUInt64LE(at + 17)),
        oldSize: Number(bytes.readBigUInt64LE(at + 25)),
        old: bytes.subarray(oldAt, freshAt),
        fresh: bytes.subarray(freshAt, next),
      });
    at = next;
  }
  return files;
};

const sized = (content: Buffer, size: number): Buffer =>
  size <= content.length ? content.subarray(0, size) : Buffer.concat([content, Buffer.alloc(size - content.length)]);

const withBytes = (content: Buffer, bytes: Buffer, offset: number): Buffer => {
  const whole = Buffer.from(sized(content, Math.max(content.length, offset + bytes.length)));
  bytes.copy(whole, offset);
  return whole;
};

const undone = (content: Buffer, { old, offset, oldSize }: Change): Buffer => sized(withBytes(content, old, offset), oldSize);

const redone = (content: Buffer, { kind, fresh, offset }: Change, keepsSector: () => boolean): Buffer => {
  if (kind === 'truncation') return sized(content, offset);
  let result = content;
  for (let at = 0; at < fresh.length;) {
    const size = Math.min(SECTOR_BYTES - ((offset + at) % SECTOR_BYTES), fresh.length - at);
    if (keepsSector()) result = withBytes(result, fresh.subarray(at, at + size), offset + at);
    at += size;
  }
  return result;
};

/** Which changes after the last sync reach the disk: none, the first ones, or any sectors of any of them. */
export type Manner = 'none' | 'first' | 'any';
const MANNERS: readonly Manner[] = ['none', 'first', 'any'];

export const afterPowerLoss = (content: Buffer, { changes, syncedTo }: FileRecord, manner: Manner, random: Random): Buffer => {
  const pending = changes.filter(({ number }) => number > syncedTo).toSorted((a, b) => Number(a.number - b.number));
  let result = content;
  for (const change of pending.toReversed()) result = undone(result, change);
  if (manner === 'none') return result;
  const kept = manner === 'any' ? pending : pending.slice(0, Math.floor(random.fraction() * (pending.length + 1)));
  const keepsSector = (): boolean => manner === 'first' || random.fraction() < HALF;
  for (const change of kept) result = redone(result, change, keepsSector);
  return result;
};

export class PowerSupply {
  readonly #folder = mkdtempSync(join(tmpdir(), 'orchestrator-power-'));
  readonly #library = join(this.#folder, 'unsynced.so');
  #starts = 0;
  lost = 0;

  /**
   * @param disk a `liar` ignores syncs of a write-ahead log, as under synchronous=NORMAL, and loses every unsynced change
   */
  constructor(private readonly disk: 'honest' | 'liar') {
    execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', this.#library, SOURCE, '-ldl', '-lpthread']);
  }

  next(dataDir: string): Environment {
    this.#starts++;
    return {
      LD_PRELOAD: this.#library,
      UNSYNCED_FOLDER: realpathSync(dataDir),
      UNSYNCED_RECORD: this.#recordPath,
      ...(this.disk === 'liar' && { UNSYNCED_DEAF: 'yes' }),
    };
  }

  /** Reverts every change without a sync after it. Memory-mapped files exist only in memory and are removed. */
  lose(dataDir: string, random: Random): void {
    const manner = this.disk === 'liar' ? 'none' : (MANNERS[Math.floor(random.fraction() * MANNERS.length)] ?? 'none');
    for (const [path, file] of readRecord(readFileSync(this.#recordPath))) {
      if (path.endsWith('-shm') || !existsSync(path)) continue;
      this.lost += file.changes.filter(({ number }) => number > file.syncedTo).length;
      writeFileSync(path, afterPowerLoss(readFileSync(path), file, manner, random));
    }
    for (const name of readdirSync(dataDir)) if (name.endsWith('-shm')) rmSync(join(dataDir, name));
    rmSync(this.#recordPath);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #recordPath(): string {
    return join(this.#folder, `record-${this.#starts}`);
  }
}
