import type { StoredEvent } from '@app/event-store';
import type { World } from '../world';
import type { Report } from './report';

const ANSWERED: ReadonlySet<string> = new Set(['AttemptApproved', 'AttemptDeclined', 'LateResultConflict']);

/** An operator recorded the same outcome before, so no event is needed. */
const isSettledAs = ({ type, data }: StoredEvent, outcome: string): boolean =>
  type === 'AttemptSettled' && (JSON.parse(data) as { readonly as: string }).as === outcome;

/** The process that receives a late answer must record it. */
export const checkLateAnswers = (world: World, events: readonly StoredEvent[], report: Report): void => {
  for (const { held, book } of world.gates)
    for (const { key, original, outcome } of book) {
      const writtenBy = held.writtenBy.get(key);
      if (writtenBy === undefined || original !== undefined) continue;
      const written = events.find((event) => event.data.includes(key) && (ANSWERED.has(event.type) || isSettledAs(event, outcome.kind)));
      if (written === undefined || written.createdMs > writtenBy)
        report('a late answer is written down', key, `${written?.type ?? 'nothing'} at ${written?.createdMs ?? 'no time'}, not by ${writtenBy}`);
    } // prettier-ignore
};

/** After this time, appends of an ended process are stored. */
const STORED_WITHIN_MS = 60_000;

/** Without pauses or deaths, each process knows what it sent: a claim is released only after the gate was called. */
export const checkClaims = (world: World, events: readonly StoredEvent[], report: Report): void => {
  if (world.happened.has('instance.pauses')) return;
  const fromMs = world.instances.lastDeathMs + STORED_WITHIN_MS;
  const sent = new Set<string>(world.gates.flatMap((gate) => [...gate.sent.keys()]));
  for (const { type, data, createdMs } of events) {
    if (type !== 'AttemptStarted' || createdMs < fromMs) continue;
    const { attemptKey: key } = JSON.parse(data) as { readonly attemptKey: string };
    if (!sent.has(key)) report('what is claimed is sent', key, 'no gate heard of it');
  }
};
