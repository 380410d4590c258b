export { flag, line, mapping, numberIn, oneOf, shaped, tableOf, wholeNumberIn } from '../reading/scalars';
export type { AdapterSchema, GateSettings, GateSettingsOf, SecretForms } from './gate.schema';
