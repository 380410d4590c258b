/** The types by which an adapter describes its settings. */
export type { AdapterSchema, GateSettings, GateSettingsOf } from './gate-settings';
export { flag, line, mapping, namesOf, numberIn, oneOf, shaped, wholeNumberIn } from '../reading/scalars';
