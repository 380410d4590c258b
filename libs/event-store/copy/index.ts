export { copyLog, type CopyPhase, type CopyProgress, type CopyReport, type CopySettings, verifyCopy } from './copy-log';
export type { Inspection } from './inspection';
export { type EventLog, SELECTED_STREAMS_MAX, type Selection } from './log-events';
