export { type CaseRequestBody, caseRequestOf, CASE_REASON, Cases, type InquiryPage, type OpenedCase } from './application/cases';
export { FileText, FileTextFault, isSetAside, type SetAsideLine, SettlementLines } from './application/settlement-lines';
export { type OwnAttempts, type OwnOrder, type ReconciledFile, ReconcileFile, type ReconcileProgress } from './application/reconcile-file';
export { CsvFault, csvRecord } from './csv/csv';
export { type Case, CASE_SOURCES, type CaseOpened, type CaseSource, type GateRecord } from './domain/case';
export {
  type Period,
  compareAnswer,
  type InquiredRecord,
  COMPARED_FIELDS,
  type ComparedField,
  type FieldDifference,
  type Finding,
  FINDING_KINDS,
  type FindingKind,
  type OrderName,
} from './domain/compare';
export { reconciliationCodec, caseIdOf, caseStream, isCaseId, RECONCILIATION_CATEGORY } from './reconciliation.codec';
