import type { OperatorRequestName } from '@app/investigation';
import { CONFIGURATION_IN_FORCE, CONFIGURATION_PARAMETERS, LIST_PARAMETERS, TRAIL_PARAMETERS } from './audit.schemas';
import { ref } from './documented-operation';
import { TEXT } from './operator.schemas';
import { answer, refused, UNREADABLE, ORDER_NOT_FOUND, named, bodyOf, JSON_TYPE, type Asked } from './operator-answers';

const ANY_ORDER_ID = named('orderId', 'An orderid or a client_orderid.');

const LEFT_OUT = {
  description: 'What the rows leave out: `references` of a card, `orders` not looked at, `events` of the order, `questions` about it.',
  schema: TEXT,
};

const TRAIL_ANSWER = {
  200: {
    description: 'In the order of the log, as JSON, NDJSON or CSV',
    headers: { 'Audit-Left-Out': LEFT_OUT },
    content: { [JSON_TYPE]: { schema: ref('Trail') }, 'application/x-ndjson': { schema: TEXT }, 'text/csv': { schema: TEXT } },
  },
  ...ORDER_NOT_FOUND,
  409: refused('Orders of several merchants carry this client_orderid'),
};

const LIST_ANSWER = {
  200: {
    description: 'The newest first, as JSON, NDJSON or CSV',
    headers: {
      'Audit-Next': { description: '`cursor` of the next page.', schema: TEXT },
      'Audit-Left-Out': LEFT_OUT,
      'Audit-Index': { description: '`missing` or `behind`, where the index of orders is not level with the log.', schema: TEXT },
    },
    content: {
      [JSON_TYPE]: { schema: ref('OrderList') },
      'application/x-ndjson': { schema: TEXT },
      'text/csv': { schema: TEXT },
    },
  },
};

export const ASKED_OF_AUDIT = {
  'list-orders': {
    id: 'listOrders',
    summary: 'Orders by any of their identifiers and facts, a page at a time; that it was asked is on record',
    parameters: LIST_PARAMETERS,
    responses: { ...LIST_ANSWER, ...UNREADABLE },
  },
  'search-orders': {
    id: 'searchOrders',
    summary: 'The same in a body, and by an e-mail address, which must not stand in a log of paths',
    body: bodyOf('ListOrders', { email: 'jane@example.com', status: 'approved', limit: 20 }),
    responses: {
      ...LIST_ANSWER,
      ...UNREADABLE,
      413: refused('The body is larger than 16 KiB'),
      415: refused('The body is not JSON'),
    },
  },
  'order-trail': {
    id: 'orderTrail',
    summary: 'All that belongs to an order as one trail: cards, gates, deliveries, what people did; that it was asked is on record',
    parameters: [ANY_ORDER_ID, ...TRAIL_PARAMETERS],
    responses: { ...TRAIL_ANSWER, ...UNREADABLE },
  },
  'reveal-order': {
    id: 'revealOrder',
    summary: 'The same with what is sealed in it; grounds and extent are on record before it is told',
    parameters: [ANY_ORDER_ID],
    body: bodyOf('Reveal', { reason: 'Dispute 4711: the cardholder asks what we hold' }),
    responses: {
      ...TRAIL_ANSWER,
      ...UNREADABLE,
      413: refused('The body is larger than 16 KiB'),
      415: refused('The body is not JSON'),
    },
  },
  'order-evidence': {
    id: 'orderEvidence',
    summary:
      'An evidence pack of an order for a dispute: a zip that anybody can check offline; grounds and extent are on record before it is told',
    parameters: [ANY_ORDER_ID],
    body: bodyOf('MakeEvidence', { reason: 'Chargeback 4711 of the scheme', at: '2026-11-24T08:30:00Z' }),
    responses: {
      200: { description: 'The pack', content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } } },
      ...UNREADABLE,
      404: refused('There is no such order'),
      409: refused('No signed checkpoint reaches its events yet, or several merchants have an order of this name'),
      413: refused('The body is larger than 16 KiB'),
      415: refused('The body is not JSON'),
    },
  },
  'configuration-in-force': {
    id: 'configurationInForce',
    summary: 'Which configuration applied at a moment: rules, gate settings, ids of keys',
    parameters: CONFIGURATION_PARAMETERS,
    responses: { 200: answer('As a process had it', CONFIGURATION_IN_FORCE), ...UNREADABLE, 404: refused('None was on record by then') },
  },
} satisfies Partial<Record<OperatorRequestName, Asked>>;
