import { bodySchema, type JsonSchema } from '@app/gateway-protocol';
import type { DeliveryRecord } from '@app/order-queries';
import type { FollowUpSummary, OrderSummary } from '@app/order-queries';
import { LEAST_ROLES, type OperatorRequestName } from '../operator-roles';
import { ResendRequest, ResolveRequest, UnparkRequest } from '../operator.requests';
import { ref, type OpenApi, type Operation, type Parameter, type Response } from './open-api';

const TEXT: JsonSchema = { type: 'string' };
const TEXT_OR_NULL: JsonSchema = { type: ['string', 'null'] };
const INSTANT: JsonSchema = { type: 'string', format: 'date-time' };
const INTEGER: JsonSchema = { type: 'integer' };
const JSON_TYPE = 'application/json';

const closed = (properties: Readonly<Record<string, JsonSchema>>, optional: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});
const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

const INSTANT_OR_NULL: JsonSchema = { type: ['string', 'null'], format: 'date-time' };

// A member that the type has and no line describes does not compile.
const FOLLOW_UP: { readonly [Member in keyof FollowUpSummary]: JsonSchema } = {
  number: { type: 'integer', description: 'By which a settlement names it.' },
  operation: { type: 'string', enum: ['capture', 'reversal', 'cancel', 'void'] },
  status: { type: 'string', enum: ['processing', 'unknown', 'approved', 'declined', 'error'] },
  amount: TEXT,
  transactionId: TEXT_OR_NULL,
  code: { type: ['integer', 'null'] },
  acceptedAt: INSTANT,
  finalAt: INSTANT_OR_NULL,
};

const CARD_OR_NULL: JsonSchema = { ...closed({ bin: TEXT, lastFour: TEXT, brand: TEXT, uid: TEXT }), type: ['object', 'null'] };

const ORDER: { readonly [Member in keyof OrderSummary]: JsonSchema } = {
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
};

const PROJECTIONS = listOf(TEXT);
const UNPARK_REFUSED = closed({ error: TEXT, applied: PROJECTIONS, stillParked: PROJECTIONS });

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

const DELIVERY: { readonly [Member in keyof DeliveryRecord]: JsonSchema } = {
  deliveryId: { type: 'string', description: '`<webhook-id>:<target>`.' },
  webhookId: TEXT,
  target: { type: 'string', enum: ['callback', 'notify', 'notification'] },
  tellsOf: TEXT,
  toldAt: INSTANT,
  status: { type: 'string', enum: ['untried', 'waiting', 'delivered', 'exhausted'] },
  nextTryAt: INSTANT,
  steps: listOf(STEP),
};

const INDEX: JsonSchema = {
  type: 'string',
  enum: ['behind', 'missing'],
  description: 'Where the index of orders does not hold all of the log: something may not be found yet.',
};

const answer = (description: string, schema: JsonSchema): Response => ({ description, content: { [JSON_TYPE]: { schema } } });
const refused = (description: string): Response => answer(description, ref('Refused'));
const AWAY = { 503: refused('A store does not answer') };
const ADMISSION = {
  401: refused('No token of an operator'),
  403: refused('The role may not; or a `Host` that is none of this port’s, or a page of a browser'),
};
const UNREADABLE = { 400: refused('The question cannot be read'), ...AWAY };
const NOT_FOUND = { 404: refused('There is none of this id'), ...AWAY };
const ORDER_NOT_FOUND = { 404: answer('There is none of this id in the index', closed({ error: TEXT, index: INDEX }, ['index'])) };
const ACTION = {
  ...NOT_FOUND,
  400: refused('A member is missing, misspelt or wrong'),
  413: refused('The body is larger than 16 KiB'),
  415: refused('The body is not JSON'),
  504: refused('Not known whether it was done'),
};
const named = (name: string): Parameter => ({ name, in: 'path', required: true, schema: TEXT });
/** By whom it may be asked, and how whoever may not is answered. */
const asked = (
  wanted: OperatorRequestName,
  responses: Operation['responses'],
): Pick<Operation, 'security' | 'description' | 'responses'> => ({
  security: [{ operator: [] }],
  description: `For the role ${LEAST_ROLES[wanted]} and those above it.`,
  responses: { ...ADMISSION, ...responses },
});
const bodyOf = (name: string) => ({ required: true as const, content: { [JSON_TYPE]: { schema: ref(name) } } });

/** What operators ask and do. */
export const operatorDocument = (baseUrl: string, version: string): OpenApi => ({
  openapi: '3.1.0',
  info: {
    title: 'Operator API',
    version,
    description:
      'On the operator’s port alone. Who asks is told by a token; every action is an event with its actor before it is done, and every refusal is one too. Roles, from the least: viewer, investigator, operator, admin.',
  },
  servers: [{ url: baseUrl }],
  paths: {
    '/health/live': { get: { operationId: 'live', summary: 'The process answers', responses: { 200: { description: 'It does' } } } },
    '/health/ready': {
      get: {
        operationId: 'ready',
        summary: 'It can serve',
        responses: { 200: { description: 'It can' }, 503: { description: 'It cannot, with the state of each store' } },
      },
    },
    '/metrics': {
      get: {
        operationId: 'metrics',
        summary: 'Figures for Prometheus',
        description: 'Open, or with OPERATOR_METRICS=token for the role viewer and those above it.',
        responses: { 200: { description: 'Text' } },
      },
    },
    '/orders/unknown': {
      get: {
        operationId: 'unknownOrders',
        summary: 'Orders with an outcome that nobody knows, their own or that of a follow-up, the oldest first',
        ...asked('list-unknown', {
          200: answer('At most 1,000; a viewer is told nothing that names a card', closed({ orders: listOf(ref('Order')) })),
          ...AWAY,
        }),
      },
    },
    '/orders/find': {
      get: {
        operationId: 'findOrders',
        summary: 'The orders that an identifier of any kind names',
        parameters: [
          { name: 'q', in: 'query', required: true, schema: { type: 'string', minLength: 1, maxLength: 256 } },
          { name: 'after', in: 'query', required: false, description: 'What the page before told as `next`.', schema: TEXT },
        ],
        ...asked('find-orders', {
          200: answer(
            'Each with what the identifier is to it',
            closed(
              {
                found: listOf(closed({ by: listOf(TEXT), order: ref('Order') })),
                next: { type: 'string', description: 'There are more, of a card or a reference to it: `after` of the next page.' },
                index: INDEX,
              },
              ['next', 'index'],
            ),
          ),
          ...UNREADABLE,
        }),
      },
    },
    '/orders/{orderId}': {
      get: {
        operationId: 'order',
        summary: 'One order',
        parameters: [named('orderId')],
        ...asked('show-order', { 200: answer('As its stream has it', ref('Order')), ...AWAY, ...ORDER_NOT_FOUND }),
      },
    },
    '/orders/{orderId}/deliveries': {
      get: {
        operationId: 'orderDeliveries',
        summary: 'Its callbacks and every try of each',
        parameters: [named('orderId')],
        ...asked('list-deliveries', {
          200: answer('The oldest first', closed({ deliveries: listOf(ref('Delivery')) })),
          ...AWAY,
          ...ORDER_NOT_FOUND,
        }),
      },
    },
    '/orders/{orderId}/settlement': {
      post: {
        operationId: 'resolveUnknownOutcome',
        summary: 'Say how an outcome ended that no gate has told',
        parameters: [named('orderId')],
        requestBody: bodyOf('Settlement'),
        ...asked('settle-unknown', {
          200: answer('It is settled', closed({ order: ref('Order') })),
          ...ACTION,
          409: refused('Nothing of it is unknown, or the gate’s own word may be a moment away'),
        }),
      },
    },
    '/deliveries/{deliveryId}/resend': {
      post: {
        operationId: 'resendDelivery',
        summary: 'Have a callback sent once more, under the same id and with the same bytes',
        parameters: [named('deliveryId')],
        requestBody: bodyOf('Resend'),
        ...asked('resend-delivery', {
          202: answer('It is due at once', closed({ deliveryId: TEXT, merchant: TEXT, isDueAlready: { type: 'boolean' } })),
          ...ACTION,
        }),
      },
    },
    '/streams/{stream}/unparking': {
      post: {
        operationId: 'unparkStream',
        summary: 'Have a stream taken up again that the read models had parked',
        parameters: [named('stream')],
        requestBody: bodyOf('Unpark'),
        ...asked('unpark-stream', {
          200: answer('It is taken up', closed({ stream: TEXT, applied: PROJECTIONS, stillParked: PROJECTIONS })),
          ...ACTION,
          404: answer('No projection has parked it', UNPARK_REFUSED),
          409: answer('An event of it still cannot be applied', UNPARK_REFUSED),
        }),
      },
    },
  },
  components: {
    schemas: {
      Order: closed(ORDER),
      FollowUp: closed(FOLLOW_UP),
      Delivery: closed(DELIVERY, ['nextTryAt']),
      Settlement: bodySchema(ResolveRequest),
      Resend: bodySchema(ResendRequest),
      Unpark: bodySchema(UnparkRequest),
      Refused: closed({ error: TEXT }),
    },
    securitySchemes: { operator: { type: 'http', scheme: 'bearer', description: 'As `orch operator new` made it.' } },
  },
});
