export {
  copyLog,
  verifyCopy,
  type CopyPhase,
  type CopyProgress,
  type CopyReport,
  type CopySettings,
  type VerifySettings,
} from './copy-log';
export type { CategoryCount, CopyParties, Inspection, LeftOut } from './inspection';
export { SELECTED_STREAMS_MAX, type EventLog, type Selection } from './log-events';
export { APPENDS_UNDER_WAY_MAX } from './stream-copier';
export { FAULTY_STREAMS_MAX, type StreamFault, type StreamFaultKind } from './stream-faults';
