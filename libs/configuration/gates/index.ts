/** The types by which an adapter describes its settings. */
export type { AdapterSchema, GateSettingsOf, SecretForms } from './gate-settings';
export { flag, line, mapping, numberIn, oneOf, shaped, tableOf, wholeNumberIn } from '../reading/scalars';
