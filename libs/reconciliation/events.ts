export type { CaseApplied, CaseEvent, CaseOpened, GateWord } from './domain/case';
