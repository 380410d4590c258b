import { streamName, type StreamName } from '@app/event-store';
import { nameOfCase } from './domain/case-of-finding';
import type { CaseOpened } from './domain/case.events';

export const RECONCILIATION_CATEGORY = 'reconciliation';

const CASE_ID = /^[a-z2-7]{52}$/;

/** The stream's name is the idempotency key: the same difference finds its own case. */
export const caseStreamOf = (opened: CaseOpened['data']): StreamName => streamName(RECONCILIATION_CATEGORY, ...nameOfCase(opened));

export const caseIdOf = (stream: StreamName): string => stream.slice(RECONCILIATION_CATEGORY.length + 1);

export const isCaseId = (text: string): boolean => CASE_ID.test(text);

export const caseStream = (caseId: string): StreamName => `${RECONCILIATION_CATEGORY}-${caseId}` as StreamName;
