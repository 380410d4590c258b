import type { JsonSchema } from '@app/gateway-protocol';
import { SETTLED_OPERATIONS } from '@app/gateway-adapters/contract';
import { CASE_SOURCES, COMPARED_FIELDS, FINDING_KINDS } from '@app/reconciliation';
import { ref } from './documented-operation';
import { closed, listOf, TEXT } from './operator.schemas';

const INSTANT: JsonSchema = { type: 'integer', description: 'Milliseconds since 1970-01-01T00:00:00Z.' };
const MINOR: JsonSchema = { type: 'string', description: 'Minor units.' };
const STATUS: JsonSchema = { type: 'string', enum: ['approved', 'declined', 'open'] };
const COUNT: JsonSchema = { type: 'integer' };

const TOLD = closed(
  { status: STATUS, amountMinor: MINOR, currency: TEXT, commissionMinor: MINOR, processedAt: INSTANT, reference: TEXT, line: COUNT },
  ['amountMinor', 'currency', 'commissionMinor', 'processedAt', 'reference', 'line'],
);

const FOUND = {
  kind: { type: 'string', enum: [...FINDING_KINDS] },
  original: { type: 'string', description: 'The key of the attempt that the gate was sent.' },
  key: { type: 'string', description: 'The key of the request itself.' },
  operation: { type: 'string', enum: [...SETTLED_OPERATIONS] },
  order: closed({ orderId: TEXT, merchant: TEXT, followUp: COUNT }, ['followUp']),
  differences: listOf(closed({ field: { type: 'string', enum: [...COMPARED_FIELDS] }, ours: TEXT, theirs: TEXT }, ['ours', 'theirs'])),
} as const satisfies Readonly<Record<string, JsonSchema>>;

/** A difference as it is asked for. */
export const CASE_REQUEST: JsonSchema = closed({ ...FOUND, told: TOLD }, ['key', 'order', 'told']);

export const OPEN_CASES: JsonSchema = closed(
  {
    gate: TEXT,
    source: { type: 'string', enum: [...CASE_SOURCES] },
    fileDigest: { type: 'string', description: 'SHA-256 of the file, hex.' },
    cases: { ...listOf(ref('CaseRequest')), minItems: 1 },
    actor: TEXT,
  },
  ['fileDigest', 'actor'],
);

export const CASE: JsonSchema = closed(
  {
    caseId: TEXT,
    gate: TEXT,
    source: { type: 'string', enum: [...CASE_SOURCES] },
    fileDigest: TEXT,
    ...FOUND,
    told: { ...TOLD, type: ['object', 'null'] },
    openedAt: INSTANT,
    status: { type: 'string', enum: ['open', 'closed', 'applied'] },
    effect: { type: ['string', 'null'], enum: ['reconciled', 'resolved', 'held-already', null] },
    closedAt: { type: ['integer', 'null'] },
    openedBy: TEXT,
    closedBy: { type: ['string', 'null'] },
  },
  ['fileDigest', 'key', 'order'],
);

export const INQUIRY: JsonSchema = closed({ gate: TEXT, from: INSTANT, before: INSTANT, after: TEXT, actor: TEXT }, ['after', 'actor']);

export const INQUIRED: JsonSchema = closed(
  {
    asked: COUNT,
    matched: COUNT,
    notTold: COUNT,
    differences: listOf(ref('CaseRequest')),
    next: { type: 'string', description: 'There are more: `after` of the next request.' },
  },
  ['next'],
);
