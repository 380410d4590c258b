export { copyLog, verifyCopy, type CopyPhase, type CopyProgress, type CopyReport, type CopySettings } from './copy-log';
export type { Inspection } from './inspection';
export { SELECTED_STREAMS_MAX, type EventLog, type Selection } from './log-events';
