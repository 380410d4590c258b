import type { Position } from '../../core/port';

interface CommitAndPrepare {
  readonly commit: bigint;
  readonly prepare: bigint;
}

const TEXT = /^(\d{1,20})\/(\d{1,20})$/;

/** Commit and prepare position as text: a resume needs both, and both exceed a number (EventStoreDB notes, section 1, point 11). */
export const positionText = (commit: string, prepare: string): Position => `${commit}/${prepare}` as Position;

/** The position before every event, which `head()` returns on an empty log. */
export const BEFORE_ALL = positionText('0', '0');

/** @throws Error where the text is no position of an EventStoreDB log, such as another store's checkpoint */
export const parsePosition = (position: Position): CommitAndPrepare => {
  const [, commit, prepare] = TEXT.exec(position) ?? [];
  if (commit === undefined || prepare === undefined) {
    throw new Error(`${JSON.stringify(position.slice(0, 60))} is no position of an EventStoreDB log: it was kept for another store`);
  }
  return { commit: BigInt(commit), prepare: BigInt(prepare) };
};

/** A checkpoint during catch-up has prepare 0 and lies before the event at its commit position, which is not yet delivered. */
export const comparePositions = (a: Position, b: Position): number => {
  if (a === b) return 0;
  const [left, right] = [parsePosition(a), parsePosition(b)];
  if (left.commit !== right.commit) return left.commit < right.commit ? -1 : 1;
  if (left.prepare === right.prepare) return 0;
  return left.prepare < right.prepare ? -1 : 1;
};
