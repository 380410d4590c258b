export type { CaseApplied, CaseEvent, CaseOpened, GateRecord } from './domain/case';
