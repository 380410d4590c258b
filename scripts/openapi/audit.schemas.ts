import type { ListedOrderColumn, TRAIL_COLUMNS } from '@app/investigation';
import { bodySchema, type JsonSchema } from '@app/gateway-protocol';
import { ListOrdersRequest, SearchOrdersRequest } from '../../apps/orchestrator/src/operator/list-orders.request';
import { TrailRequest } from '../../apps/orchestrator/src/operator/audit.controller';
import type { DocumentedParameter } from './documented-operation';
import { closed, INDEX, listOf, TEXT } from './operator.schemas';

const TEXT_OR_NULL: JsonSchema = { type: ['string', 'null'] };
const INSTANT: JsonSchema = { type: 'string', format: 'date-time', description: 'In UTC, with Z.' };
/** A time that is asked for, as a text. */
const ASKED_TIME: JsonSchema = { type: 'string', format: 'date-time', description: 'With Z or an offset.' };
const AMOUNT: JsonSchema = { type: 'string', description: 'Major units with a dot; needs a currency.' };

/** The members that the port transforms, as they are sent. */
const SENT: Readonly<Record<string, JsonSchema>> = {
  amountFrom: AMOUNT,
  amountTo: AMOUNT,
  createdFrom: ASKED_TIME,
  createdTo: ASKED_TIME,
  updatedFrom: ASKED_TIME,
  updatedTo: ASKED_TIME,
  at: ASKED_TIME,
};

/** The schema of a question as it is sent: some members are transformed before their rules see them. */
export const sentSchema = (Message: Parameters<typeof bodySchema>[0]): JsonSchema => {
  const schema = bodySchema(Message);
  const properties = Object.entries(schema.properties ?? {}).map(([name, ruled]) => [name, SENT[name] ?? ruled] as const);
  return { ...schema, properties: Object.fromEntries(properties) };
};

/** The members of a question as parameters of its path. */
const parametersOf = (Message: typeof ListOrdersRequest): readonly DocumentedParameter[] =>
  Object.entries(sentSchema(Message).properties ?? {}).map(([name, schema]) => ({ name, in: 'query', required: false, schema }));

export const LIST_PARAMETERS = parametersOf(ListOrdersRequest);
export const LIST_BODY = sentSchema(SearchOrdersRequest);

export const LISTED_ORDER: { readonly [Column in ListedOrderColumn]: JsonSchema } = {
  orderId: TEXT,
  merchant: TEXT,
  clientOrderId: TEXT,
  kind: TEXT,
  operation: TEXT,
  endpoint: TEXT,
  status: TEXT,
  stage: TEXT,
  type: TEXT,
  amount: TEXT,
  initialAmount: TEXT,
  currency: TEXT,
  gate: TEXT_OR_NULL,
  attempts: { type: 'integer' },
  code: { type: ['integer', 'null'] },
  bin: TEXT_OR_NULL,
  lastFour: TEXT_OR_NULL,
  brand: TEXT_OR_NULL,
  card: TEXT_OR_NULL,
  cardReference: TEXT_OR_NULL,
  transactionId: TEXT_OR_NULL,
  rrn: TEXT_OR_NULL,
  approvalCode: TEXT_OR_NULL,
  receipt: TEXT_OR_NULL,
  correlation: TEXT_OR_NULL,
  createdAt: INSTANT,
  updatedAt: INSTANT,
  finalAt: { type: ['string', 'null'], format: 'date-time' },
};

export const ORDER_LIST: JsonSchema = closed(
  {
    version: { type: 'integer', description: 'Rises when a member is removed or changes its meaning.' },
    next: { type: 'string', description: 'There are more: `cursor` of the next page. It is in the header `Audit-Next`, too.' },
    isCutShort: {
      type: 'boolean',
      description: 'The page ended because it looked at as many orders as a page may: those that follow were not looked at yet.',
    },
    areReferencesCut: {
      type: 'boolean',
      description: 'The card has more than 500 references: orders by the others are not in the list.',
    },
    index: INDEX,
    orders: listOf({ $ref: '#/components/schemas/ListedOrder' }),
  },
  ['next', 'isCutShort', 'areReferencesCut', 'index'],
);

export const CONFIGURATION_IN_FORCE: JsonSchema = closed({
  version: { type: 'integer' },
  digest: { type: 'string', description: 'SHA-256 over the redacted copy and the names of the keys.' },
  tookEffectAt: INSTANT,
  replacedAt: { type: ['string', 'null'], format: 'date-time' },
  process: { type: 'string', description: 'The boot id of the process that brought it.' },
  keys: listOf(TEXT),
  omitted: { type: ['string', 'null'], enum: ['too-large', 'looks-like-card-number', null], description: 'Why there is no copy.' },
  configuration: { type: ['object', 'null'], description: 'Each key, password and token is a `keyId` alone.' },
});

export const CONFIGURATION_PARAMETERS: readonly DocumentedParameter[] = [
  { name: 'at', in: 'query', required: false, description: 'Now where it is left out.', schema: ASKED_TIME },
  { name: 'actor', in: 'query', required: false, description: 'For whom the caller asks.', schema: TEXT },
];

const INTEGER_OR_NULL: JsonSchema = { type: ['integer', 'null'] };

export const TRAIL_ENTRY: { readonly [Column in (typeof TRAIL_COLUMNS)[number]]: JsonSchema } = {
  number: { type: 'integer', description: 'From 1, in the order of the log.' },
  at: INSTANT,
  category: { type: 'string', description: 'Of the stream: the kind of order, cardReference, delivery, reconciliation or operator.' },
  type: TEXT,
  actor: TEXT,
  claimedActor: { ...TEXT_OR_NULL, description: 'Whom the caller said to act for.' },
  merchant: TEXT,
  stream: TEXT,
  revision: { type: 'integer' },
  eventId: TEXT,
  correlation: { type: 'string', description: 'The request that all of it began with.' },
  causation: { type: 'string', description: 'The direct cause: a request, or an event.' },
  causedBy: { ...INTEGER_OR_NULL, description: 'The number of the entry that is the direct cause.' },
  problem: { ...TEXT_OR_NULL, description: 'Why there are no data.' },
  data: { type: ['object', 'null'], description: 'As the event catalogue has it; what is sealed is `[sealed]` unless it was revealed.' },
};

export const TRAIL: JsonSchema = closed(
  {
    version: { type: 'integer' },
    orderId: TEXT,
    merchant: TEXT,
    isRevealed: { type: 'boolean' },
    isCutShort: { type: 'boolean', description: 'More happened than a trail may hold.' },
    areQuestionsCut: { type: 'boolean', description: 'More was asked about it than what happened leaves room for.' },
    trail: listOf({ $ref: '#/components/schemas/TrailEntry' }),
  },
  ['isCutShort', 'areQuestionsCut'],
);

export const TRAIL_PARAMETERS: readonly DocumentedParameter[] = Object.entries(bodySchema(TrailRequest).properties ?? {}).map(
  ([name, schema]) => ({ name, in: 'query', required: false, schema }),
);
