import type { EventStore, Position } from '../core/port';
import { holdsEvents, inspectLogs, isOfAnotherService, type CopyParties, type Inspection } from './inspection';
import { wholeLog } from './log-events';
import { RetryPolicy } from './bounded-tasks';
import { StreamCopier } from './stream-copier';
import type { StreamFault } from './stream-comparison';

export type CopyPhase = 'survey' | 'copy' | 'verify';

export interface CopyProgress {
  readonly phase: CopyPhase;
  readonly events: number;
  readonly eventsTotal: number | undefined;
}

export interface VerifySettings extends CopyParties {
  readonly onProgress?: (progress: CopyProgress) => void;
}

export interface CopySettings extends VerifySettings {
  /** The copy must be its only writer. */
  readonly target: EventStore;
  readonly streamsKnownMax?: number;
}

export interface CopyReport {
  /**
   * equal: the target contains every stream of the source, event for event. refused: nothing was written. differs: see the faults. stopped:
   * a stop was requested in this phase; the same command continues.
   */
  readonly outcome: 'equal' | 'refused' | 'differs' | 'stopped';
  readonly phase: CopyPhase;
  readonly appended: number;
  readonly inspection: Inspection;
  readonly faults: readonly StreamFault[];
  /** Whether the source has grown since the copy began. Those events are not copied. */
  readonly hasSourceGrown: boolean;
}

/**
 * Compares all or the selected streams of both logs by their hash chains. It only reads.
 * @throws StoreUnavailable
 */
export const verifyCopy = async (settings: VerifySettings): Promise<CopyReport> => {
  const upTo = await headOf(settings);
  return verified(settings, upTo, undefined, { appended: 0, faults: [] });
};

/**
 * Copies a log, or some of its streams, without changing ids, texts or revisions, so that hash chains stay valid (architecture, rules 2 and
 * 7). Nothing is written unless each target stream is a prefix of the source's; an interrupted copy is one and can continue.
 * @throws StoreUnavailable, OutcomeUnknown: written events stay, and the same command continues
 */
export const copyLog = async (settings: CopySettings): Promise<CopyReport> => {
  const { source, target, selection, knownCategories, scheduler, isStopRequested = () => false, onProgress, streamsKnownMax } = settings;
  const upTo = await headOf(settings);
  const isTargetEmpty = !(await holdsEvents(settings));
  const survey = await inspectLogs({
    parties: settings,
    upTo,
    expected: isTargetEmpty ? 'nothing' : 'prefix',
    onProgress: (events) => onProgress?.({ phase: 'survey', events, eventsTotal: undefined }),
  });
  const found = { phase: 'survey', appended: 0, inspection: survey, hasSourceGrown: false } as const;
  // A stream broken in the source is copied up to its break.
  const refusals = survey.faults.filter(({ kind }) => kind !== 'source-broken');
  if (refusals.length > 0) return { ...found, outcome: 'refused', faults: refusals };
  if (isStopRequested()) return { ...found, outcome: 'stopped', faults: [] };
  const copier = new StreamCopier({
    source,
    target,
    selection,
    upTo,
    knownCategories,
    isTargetEmpty,
    retry: new RetryPolicy(scheduler, isStopRequested),
    isStopRequested,
    onProgress: (events) => onProgress?.({ phase: 'copy', events, eventsTotal: survey.events }),
    ...(streamsKnownMax !== undefined && { streamsKnownMax }),
  });
  const isAtEnd = await copier.run();
  const copied = { appended: copier.appended, faults: copier.faults.all };
  if (isAtEnd) return verified(settings, upTo, survey.events, copied);
  return { ...found, ...copied, phase: 'copy', outcome: isStopRequested() ? 'stopped' : 'differs' };
};

const headOf = ({ source, scheduler, isStopRequested = () => false }: VerifySettings): Promise<Position> =>
  new RetryPolicy(scheduler, isStopRequested).run(() => source.head());

const verified = async (
  settings: VerifySettings,
  upTo: Position,
  eventsTotal: number | undefined,
  copied: Pick<CopyReport, 'appended' | 'faults'>,
): Promise<CopyReport> => {
  const inspection = await inspectLogs({
    parties: settings,
    upTo,
    expected: 'equal',
    onProgress: (events) => settings.onProgress?.({ phase: 'verify', events, eventsTotal }),
  });
  const named = new Set(copied.faults.map(({ stream }) => stream));
  const faults = [...copied.faults, ...inspection.faults.filter(({ stream }) => !named.has(stream))];
  const isStopped = !inspection.isComplete && faults.length === 0;
  const outcome = isStopped ? 'stopped' : faults.length > 0 ? 'differs' : 'equal';
  return { outcome, phase: 'verify', appended: copied.appended, inspection, faults, hasSourceGrown: await hasGrown(settings, upTo) };
};

const hasGrown = async (settings: VerifySettings, upTo: Position): Promise<boolean> => {
  const { source, selection, knownCategories, scheduler, isStopRequested = () => false } = settings;
  const retry = new RetryPolicy(scheduler, isStopRequested);
  for await (const item of wholeLog(source, upTo, await retry.run(() => source.head()), retry)) {
    if (item.kind === 'broken' || isOfAnotherService(item.event, knownCategories)) continue;
    if (selection === 'all' || selection.includes(item.event.stream)) return true;
  }
  return false;
};
