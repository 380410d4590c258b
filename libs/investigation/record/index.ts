export { configurationRecordCodec, configurationStream } from './configuration-record.codec';
export { OperatorAudit, type OperatorAuditWatch } from './operator-audit';
export { operatorAuditCodec, operatorStream } from './operator-audit.codec';
export { OPERATOR_ACTIONS, type OperatorAction, type OperatorQuery, REFUSAL_CAUSES, type RefusalCause } from './operator-audit.events';
export { recordConfiguration, type RecordConfigurationPorts } from './record-configuration';
export { redactedConfiguration } from './redacted-configuration';
