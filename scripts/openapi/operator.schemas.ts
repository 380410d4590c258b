import { ERASURE_CAUSES, type ErasureJson } from '@app/investigation/erasure';
import type { JsonSchema } from '@app/gateway-protocol';
import type { DeliveryRecord, FollowUpSummary, OrderSummary, ReportSummary } from '@app/read-models/queries';
import {
  CHARGEBACK_STAGES,
  MISFIT_CAUSES,
  REPORT_KINDS,
  REPORT_SOURCES,
  REPRESENTMENT_OUTCOMES,
  ROUTING_CONDITIONS,
} from '@app/orders/domain';
import type { GateState, RouteExplanation } from '@app/investigation';
import { ref } from './documented-operation';

export const TEXT: JsonSchema = { type: 'string' };
const TEXT_OR_NULL: JsonSchema = { type: ['string', 'null'] };
const INSTANT: JsonSchema = { type: 'string', format: 'date-time' };
const INSTANT_OR_NULL: JsonSchema = { type: ['string', 'null'], format: 'date-time' };
const INTEGER: JsonSchema = { type: 'integer' };

export const closed = (properties: Readonly<Record<string, JsonSchema>>, optional: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});
export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

const ERASURE_DONE: { readonly [Member in keyof ErasureJson['done'][number]]: JsonSchema } = {
  requestId: TEXT,
  cause: { type: 'string', enum: ERASURE_CAUSES },
  texts: { type: 'integer', description: 'Keys of sealed texts that were destroyed.' },
  cards: { type: 'integer', description: 'Cards that were shredded.' },
  erasedAt: INSTANT,
};
const ERASURE: { readonly [Member in keyof ErasureJson]-?: JsonSchema } = {
  heldSince: { ...INSTANT, description: 'Under legal hold since then.' },
  underWay: { ...closed({ requestId: TEXT, requestedAt: INSTANT }), description: 'Requested, and not destroyed yet.' },
  done: listOf(closed(ERASURE_DONE)),
};

// A member that the type has and no line describes does not compile.
export const FOLLOW_UP: { readonly [Member in keyof FollowUpSummary]: JsonSchema } = {
  number: { type: 'integer', description: 'By which a resolution names it.' },
  operation: { type: 'string', enum: ['capture', 'reversal', 'cancel', 'void'] },
  status: { type: 'string', enum: ['processing', 'unknown', 'approved', 'declined', 'error'] },
  amount: TEXT,
  transactionId: TEXT_OR_NULL,
  code: { type: ['integer', 'null'] },
  acceptedAt: INSTANT,
  finalAt: INSTANT_OR_NULL,
};

const orNull = (words: readonly string[]): JsonSchema => ({ type: ['string', 'null'], enum: [...words, null] });

export const REPORT: { readonly [Member in keyof ReportSummary]: JsonSchema } = {
  kind: { type: 'string', enum: REPORT_KINDS },
  gate: TEXT,
  case: { type: 'string', description: 'The gate’s own id of it.' },
  source: { type: 'string', enum: REPORT_SOURCES },
  stage: orNull(CHARGEBACK_STAGES),
  outcome: orNull(REPRESENTMENT_OUTCOMES),
  amount: TEXT_OR_NULL,
  currency: TEXT_OR_NULL,
  reasonCode: TEXT_OR_NULL,
  happenedAt: INSTANT_OR_NULL,
  receivedAt: INSTANT,
  misfit: { ...orNull(MISFIT_CAUSES), description: 'Why it does not fit the order, so that it changed nothing.' },
  isAboveTaken: { type: 'boolean', description: 'More had gone back by then than was taken.' },
};

const CARD_OR_NULL: JsonSchema = { ...closed({ bin: TEXT, lastFour: TEXT, brand: TEXT, uid: TEXT }), type: ['object', 'null'] };

export const ORDER: { readonly [Member in keyof OrderSummary]: JsonSchema } = {
  orderId: TEXT,
  merchant: TEXT,
  clientOrderId: TEXT,
  kind: TEXT,
  endpointId: TEXT,
  status: TEXT,
  stage: TEXT,
  transactionType: TEXT,
  amount: TEXT,
  initialAmount: TEXT,
  currency: TEXT,
  gate: TEXT_OR_NULL,
  attempts: INTEGER,
  transactionId: TEXT_OR_NULL,
  rrn: TEXT_OR_NULL,
  approvalCode: TEXT_OR_NULL,
  receiptId: TEXT_OR_NULL,
  code: { type: ['integer', 'null'] },
  cardRefId: TEXT_OR_NULL,
  card: CARD_OR_NULL,
  destination: CARD_OR_NULL,
  commission: TEXT_OR_NULL,
  serials: listOf(TEXT),
  acceptedAt: INSTANT,
  finalAt: INSTANT_OR_NULL,
  followUps: listOf(ref('FollowUp')),
  reports: listOf(ref('Report')),
};

export const PROJECTIONS = listOf(TEXT);
export const UNPARK_REFUSED = closed({ error: TEXT, applied: PROJECTIONS, stillParked: PROJECTIONS });

const STEP: JsonSchema = closed(
  {
    at: INSTANT,
    kind: { type: 'string', enum: ['delivered', 'failed', 'exhausted', 'resend-requested'] },
    tryNumber: INTEGER,
    httpStatus: INTEGER,
    failure: { type: 'object', description: 'Why the try failed: `cause`, and of some causes a status, code or reason.' },
    nextTryAt: INSTANT,
    actor: { type: 'string', description: 'The operator, by their token.' },
    claimedActor: { type: 'string', description: 'Whom the request named beside it.' },
  },
  ['tryNumber', 'httpStatus', 'failure', 'nextTryAt', 'actor', 'claimedActor'],
);

export const DELIVERY: { readonly [Member in keyof DeliveryRecord]: JsonSchema } = {
  deliveryId: { type: 'string', description: '`<webhook-id>:<target>`.' },
  webhookId: TEXT,
  target: { type: 'string', enum: ['callback', 'notify', 'notification'] },
  tellsOf: TEXT,
  toldAt: INSTANT,
  status: { type: 'string', enum: ['untried', 'waiting', 'delivered', 'exhausted'] },
  nextTryAt: INSTANT,
  steps: listOf(STEP),
};

export const INDEX: JsonSchema = {
  type: 'string',
  enum: ['behind', 'missing'],
  description: 'Where the index of orders does not hold all of the log: something may not be found yet.',
};

export const ROUTE_EXPLANATION: { readonly [Member in keyof RouteExplanation]-?: JsonSchema } = {
  endpoint: { type: 'string', description: 'That serves the order, also where a group was named.' },
  rule: { type: 'string', description: '`default` where none held: the gates of the endpoint as they are listed.' },
  choice: { type: 'string', enum: ['cascade', 'split', 'least-commission'] },
  gates: { ...listOf(TEXT), description: 'As they would be tried; those of a split that is drawn by chance by their weight.' },
  leftOut: { ...listOf(TEXT), description: 'Gates of the rule whose circuit is open in the process that answers.' },
  drawnBy: { type: 'string', enum: ['customer', 'chance'] },
  shares: listOf(closed({ gate: TEXT, weight: INTEGER })),
  commissions: listOf(closed({ gate: TEXT, commission: TEXT })),
  passedOver: {
    ...listOf(closed({ rule: TEXT, failed: listOf({ type: 'string', enum: [...ROUTING_CONDITIONS, 'gates'] }) })),
    description: 'The rules above, with what of each did not hold; `gates`: none of its gates can serve the order.',
  },
  facts: closed({ amount: TEXT, currency: TEXT, at: INSTANT, bin: TEXT, brand: TEXT, country: TEXT }, ['bin', 'brand', 'country']),
};

export const GATE: { readonly [Member in keyof GateState]: JsonSchema } = {
  alias: TEXT,
  adapter: TEXT,
  circuit: {
    type: 'string',
    enum: ['closed', 'open', 'half-open', 'off'],
    description: 'open: new orders do without it where another gate remains; half-open: one at a time begins there.',
  },
  since: INSTANT_OR_NULL,
  calls: { type: 'integer', description: 'In the window of a closed circuit.' },
  failures: INTEGER,
  nextProbeAt: INSTANT_OR_NULL,
};

/** An order that was asked for by name. */
export const SHOWN_ORDER = closed(
  { ...ORDER, erasure: { ...closed(ERASURE, ['heldSince', 'underWay']), description: 'Absent where nothing is on record.' } },
  ['erasure'],
);
