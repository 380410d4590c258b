/** The types by which an adapter describes its settings. */
export type { AdapterSchema, GateSettings, GateSettingsOf, SecretForm, SecretForms, SecretsOf } from './gate-settings';
export { flag, line, mapping, namesOf, numberIn, oneOf, shaped, tableOf, wholeNumberIn } from '../reading/scalars';
