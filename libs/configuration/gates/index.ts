/** What an adapter describes its own settings with. */
export type { AdapterSchema, GateSettings, GateSettingsOf } from './gate-settings';
export { flag, line, mapping, namesOf, numberIn, oneOf, shaped, wholeNumberIn } from '../reading/scalars';
