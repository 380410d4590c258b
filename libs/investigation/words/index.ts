export { configurationChanges } from './configuration-changes';
export { eventWords, failureText } from './event-words';
export { REPORT_TEXTS } from './report-words';
export type { EventWords, TrailEvent } from './trail-event';
