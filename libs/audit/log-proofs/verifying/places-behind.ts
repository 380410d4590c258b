import type { CheckpointPlace } from '../building/checkpoint-place';
import { type SignedCheckpoint, timeOf } from '../checkpoints/checkpoint';
import type { LogFinding } from './log-finding';

/** A place that lacks what was signed this long before the newest checkpoint was emptied, or was away for so long. */
const BEHIND_MS_MIN = 300_000;

type IsOwn = (checkpoint: SignedCheckpoint) => boolean;

/** Asked last, of what the places hold by then: a service that runs adds to them one after the other. */
export const placesBehind = async (places: readonly CheckpointPlace[], isOwn: IsOwn): Promise<readonly LogFinding[]> => {
  const sizes: number[] = [];
  let best: { readonly place: CheckpointPlace; readonly newest: SignedCheckpoint } | undefined;
  for (const place of places) {
    const newest = await orUnread(() => place.newest(isOwn));
    sizes.push(newest?.size ?? 0);
    if (newest !== undefined && newest.size > (best?.newest.size ?? -1)) best = { place, newest };
  }
  if (best === undefined) return [];
  const findings: LogFinding[] = [];
  for (const [at, { name }] of places.entries()) {
    const lacking = await firstBehind(best.place, sizes[at] ?? 0, isOwn);
    const [since, until] = [lacking && timeOf(lacking), timeOf(best.newest)];
    if (lacking === undefined || since === undefined || until === undefined) continue;
    if (Date.parse(until) - Date.parse(since) >= BEHIND_MS_MIN)
      findings.push({ kind: 'place-behind', place: name, size: lacking.size, since, ahead: best.place.name });
  }
  return findings;
};

const firstBehind = async (place: CheckpointPlace, size: number, isOwn: IsOwn): Promise<SignedCheckpoint | undefined> =>
  orUnread(async () => {
    for await (const one of place.all()) if (!('unreadable' in one) && one.size > size && isOwn(one)) return one;
    return undefined;
  });

/** That a place cannot be read is told already. */
const orUnread = async <Read>(read: () => Promise<Read>): Promise<Read | undefined> => {
  try {
    return await read();
  } catch {
    return undefined;
  }
};
