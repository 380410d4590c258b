import type { EventStore, Position } from '../core/port';
import { holdsEvents, inspectLogs, isForeign, type CopyParties, type Inspection } from './inspection';
import { wholeLog } from './log-events';
import { MonotonicWait } from './retry-policy';
import { StreamCopier } from './stream-copier';
import type { StreamFault } from './stream-faults';

export type CopyPhase = 'survey' | 'copy' | 'verify';

export interface CopyProgress {
  readonly phase: CopyPhase;
  /** Of the source, read in this phase. */
  readonly events: number;
  /** Undefined while nobody has counted. */
  readonly eventsTotal: number | undefined;
}

export interface VerifySettings extends CopyParties {
  readonly onProgress?: (progress: CopyProgress) => void;
}

export interface CopySettings extends VerifySettings {
  /** Nothing else may write to it meanwhile. */
  readonly target: EventStore;
  /** For tests: streams whose ends are kept in memory. */
  readonly streamsKnownMax?: number;
}

export interface CopyReport {
  /**
   * equal: every stream of the source stands in the target, event for event. refused: nothing was written. differs: see the faults.
   * stopped: somebody wanted it, in the phase named; the same again goes on.
   */
  readonly outcome: 'equal' | 'refused' | 'differs' | 'stopped';
  /** The last one that was begun. */
  readonly phase: CopyPhase;
  /** Written by this run. */
  readonly appended: number;
  /** The newest look at both sides. */
  readonly inspection: Inspection;
  readonly faults: readonly StreamFault[];
  /** The source was written to after the copy began: that part is not in it. */
  readonly hasSourceGoneOn: boolean;
}

/**
 * Whether both logs hold the same streams with the same events, by their hash chains: those of the selection, or all on either side.
 * Reads only. @throws StoreUnavailable
 */
export const verifyCopy = async (settings: VerifySettings): Promise<CopyReport> => {
  const upTo = await headOf(settings);
  return verified(settings, upTo, undefined, { appended: 0, faults: [] });
};

/**
 * Copies a log, or some streams of it, into another: same ids, types, data, metadata and revisions, so that each stream keeps its hash chain and
 * a repeated run is recognised (architecture, rules 2 and 7). What the target holds is compared first, and where any of it is not the source's
 * beginning, nothing is written at all; an interrupted copy is such a beginning, so it needs no file to go on. Ends with `verifyCopy`.
 * @throws StoreUnavailable, OutcomeUnknown: what is written stays, the same again goes on
 */
export const copyLog = async (settings: CopySettings): Promise<CopyReport> => {
  const { source, target, selection, knownCategories, scheduler, isStopWished = () => false, onProgress, streamsKnownMax } = settings;
  const upTo = await headOf(settings);
  const isTargetEmpty = !(await holdsEvents(settings));
  const survey = await inspectLogs({
    parties: settings,
    upTo,
    expected: isTargetEmpty ? 'nothing' : 'prefix',
    onProgress: (events) => onProgress?.({ phase: 'survey', events, eventsTotal: undefined }),
  });
  const found = { phase: 'survey', appended: 0, inspection: survey, hasSourceGoneOn: false } as const;
  // A break in the source is met again, and its stream copied up to there.
  const refusals = survey.faults.filter(({ kind }) => kind !== 'source-broken');
  if (refusals.length > 0) return { ...found, outcome: 'refused', faults: refusals };
  if (isStopWished()) return { ...found, outcome: 'stopped', faults: [] };
  const copier = new StreamCopier({
    source,
    target,
    selection,
    upTo,
    knownCategories,
    isTargetEmpty,
    patience: new MonotonicWait(scheduler, isStopWished),
    isStopWished,
    onProgress: (events) => onProgress?.({ phase: 'copy', events, eventsTotal: survey.events }),
    ...(streamsKnownMax !== undefined && { streamsKnownMax }),
  });
  const isAtEnd = await copier.run();
  const copied = { appended: copier.appended, faults: copier.faults.all };
  if (isAtEnd) return verified(settings, upTo, survey.events, copied);
  return { ...found, ...copied, phase: 'copy', outcome: isStopWished() ? 'stopped' : 'differs' };
};

const headOf = ({ source, scheduler, isStopWished = () => false }: VerifySettings): Promise<Position> =>
  new MonotonicWait(scheduler, isStopWished).until(() => source.head());

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
  return { outcome, phase: 'verify', appended: copied.appended, inspection, faults, hasSourceGoneOn: await hasGoneOn(settings, upTo) };
};

/** By somebody that the copy is about: a server that others share goes on all the time. */
const hasGoneOn = async (settings: VerifySettings, upTo: Position): Promise<boolean> => {
  const { source, selection, knownCategories, scheduler, isStopWished = () => false } = settings;
  const patience = new MonotonicWait(scheduler, isStopWished);
  for await (const item of wholeLog(source, upTo, await patience.until(() => source.head()), patience)) {
    if (item.kind === 'broken' || isForeign(item.event, knownCategories)) continue;
    if (selection === 'all' || selection.includes(item.event.stream)) return true;
  }
  return false;
};
