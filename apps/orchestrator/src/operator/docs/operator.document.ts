import { bodySchema, type JsonSchema } from '@app/gateway-protocol';
import type { DeliveryRecord } from '../../composition/delivery-records';
import type { FollowUpSummary, OrderSummary } from '../../composition/order-summary';
import { ResendRequest, SettlementRequest } from '../operator.requests';
import { ref, type OpenApi, type Parameter, type Response } from './open-api';

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

const STEP: JsonSchema = closed(
  {
    at: INSTANT,
    kind: { type: 'string', enum: ['delivered', 'failed', 'exhausted', 'resend-requested'] },
    tryNumber: INTEGER,
    httpStatus: INTEGER,
    failure: { type: 'object', description: 'Why the try failed: `cause`, and of some causes a status, code or reason.' },
    nextTryAt: INSTANT,
    actor: TEXT,
  },
  ['tryNumber', 'httpStatus', 'failure', 'nextTryAt', 'actor'],
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

const answer = (description: string, schema: JsonSchema): Response => ({ description, content: { [JSON_TYPE]: { schema } } });
const refused = (description: string): Response => answer(description, ref('Refused'));
const UNREADABLE = { 400: refused('The question cannot be read'), 503: refused('A store does not answer') };
const NOT_FOUND = { 404: refused('There is none of this id'), 503: refused('A store does not answer') };
const ACTION = {
  ...NOT_FOUND,
  400: refused('A member is missing, misspelt or wrong'),
  403: refused('It came from a page of a browser'),
  413: refused('The body is too large'),
  415: refused('The body is not JSON'),
  504: refused('Not known whether it was done'),
};
const named = (name: string): Parameter => ({ name, in: 'path', required: true, schema: TEXT });
const bodyOf = (name: string) => ({ required: true as const, content: { [JSON_TYPE]: { schema: ref(name) } } });

/** What operators ask and do. */
export const operatorDocument = (baseUrl: string, version: string): OpenApi => ({
  openapi: '3.1.0',
  info: {
    title: 'Operator API',
    version,
    description: 'On the operator’s port alone. Every action that changes something is an event with its actor and its reason.',
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
    '/metrics': { get: { operationId: 'metrics', summary: 'Figures for Prometheus', responses: { 200: { description: 'Text' } } } },
    '/orders/unknown': {
      get: {
        operationId: 'unknownOrders',
        summary: 'Orders with an outcome that nobody knows, their own or that of a follow-up, the oldest first',
        responses: { 200: answer('At most 1,000', closed({ orders: listOf(ref('Order')) })), 503: refused('A store does not answer') },
      },
    },
    '/orders/find': {
      get: {
        operationId: 'findOrders',
        summary: 'The orders that an identifier of any kind names',
        parameters: [{ name: 'q', in: 'query', required: true, schema: { type: 'string', minLength: 1, maxLength: 256 } }],
        responses: {
          200: answer(
            'Each with what the identifier is to it',
            closed({ found: listOf(closed({ by: listOf(TEXT), order: ref('Order') })) }),
          ),
          ...UNREADABLE,
        },
      },
    },
    '/orders/{orderId}': {
      get: {
        operationId: 'order',
        summary: 'One order',
        parameters: [named('orderId')],
        responses: { 200: answer('As its stream has it', ref('Order')), ...NOT_FOUND },
      },
    },
    '/orders/{orderId}/deliveries': {
      get: {
        operationId: 'orderDeliveries',
        summary: 'Its callbacks and every try of each',
        parameters: [named('orderId')],
        responses: { 200: answer('The oldest first', closed({ deliveries: listOf(ref('Delivery')) })), ...NOT_FOUND },
      },
    },
    '/orders/{orderId}/settlement': {
      post: {
        operationId: 'settleOrder',
        summary: 'Say how an outcome ended that no gate has told',
        parameters: [named('orderId')],
        requestBody: bodyOf('Settlement'),
        responses: {
          200: answer('It is settled', closed({ order: ref('Order') })),
          ...ACTION,
          409: refused('Nothing of it is unknown, or the gate’s own word may be a moment away'),
        },
      },
    },
    '/deliveries/{deliveryId}/resend': {
      post: {
        operationId: 'resendDelivery',
        summary: 'Have a callback sent once more, under the same id and with the same bytes',
        parameters: [named('deliveryId')],
        requestBody: bodyOf('Resend'),
        responses: {
          202: answer('It is due at once', closed({ deliveryId: TEXT, merchant: TEXT, isDueAlready: { type: 'boolean' } })),
          ...ACTION,
        },
      },
    },
  },
  components: {
    schemas: {
      Order: closed(ORDER),
      FollowUp: closed(FOLLOW_UP),
      Delivery: closed(DELIVERY, ['nextTryAt']),
      Settlement: bodySchema(SettlementRequest),
      Resend: bodySchema(ResendRequest),
      Refused: closed({ error: TEXT }),
    },
  },
});
