export { type CaseRequestBody, caseRequestOf } from './application/case-request';
export { CASE_REASON, Cases, type OpenedCase } from './application/cases';
export { FileText, FileTextFault } from './application/file-text';
export { type OwnAttempts, type OwnOrder, type ReconciledFile, ReconcileFile, type ReconcileProgress } from './application/reconcile-file';
export { isSetAside, type SetAsideLine, SettlementLines } from './application/settlement-lines';
export { CsvFault } from './csv/csv-fault';
export { csvRecord } from './csv/csv-writer';
export type { Case } from './domain/case.decide';
export { CASE_SOURCES, type CaseOpened, type CaseSource, type GateWord } from './domain/case.events';
export type { Period } from './domain/compare';
export { compareAnswer, type ToldByGate } from './domain/compare-answer';
export {
  COMPARED_FIELDS,
  type ComparedField,
  type FieldDifference,
  type Finding,
  FINDING_KINDS,
  type FindingKind,
} from './domain/findings';
export type { OrderName } from './domain/transactions';
export { reconciliationCodec } from './reconciliation.codec';
export { caseIdOf, caseStream, isCaseId, RECONCILIATION_CATEGORY } from './reconciliation.stream';
