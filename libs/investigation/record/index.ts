export {
  configurationRecordCodec,
  configurationStream,
  keyIdOf,
  recordConfiguration,
  type RecordConfigurationPorts,
  redactedConfiguration,
} from './configuration-record';
export { configurationChangeCodec, configurationChangeStream, isReport } from './configuration-change';
export { endedSessionsCodec } from './ended-sessions';
export { OperatorAudit, type OperatorAuditListener } from './operator-audit';
export {
  operatorAuditCodec,
  operatorStream,
  OPERATOR_ACTIONS,
  type OperatorAction,
  type OperatorQuery,
  REFUSAL_CAUSES,
  type RefusalCause,
} from './operator-audit.events';
