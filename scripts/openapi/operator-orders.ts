import type { OperatorRequestName } from '@app/investigation';
import { ref } from './documented-operation';
import { closed, listOf, TEXT, INDEX, PROJECTIONS, UNPARK_REFUSED } from './operator.schemas';
import { answer, refused, UNREADABLE, ORDER_NOT_FOUND, ACTION, named, ORDER_ID, bodyOf, type Asked } from './operator-answers';

export const ASKED_OF_ORDERS = {
  'list-unknown': {
    id: 'unknownOrders',
    summary: 'Orders with an outcome that nobody knows, their own or that of a follow-up, the oldest first; that it was asked is on record',
    responses: {
      200: answer('At most 1,000; a viewer is told nothing that names a card', closed({ orders: listOf(ref('Order')) })),
      ...UNREADABLE,
    },
  },
  'find-orders': {
    id: 'findOrders',
    summary: 'The orders that an identifier of any kind names; that it was asked is on record',
    parameters: [
      { name: 'q', in: 'query', required: true, description: 'The identifier.', schema: { type: 'string', minLength: 1, maxLength: 256 } },
      { name: 'after', in: 'query', required: false, description: 'What the page before told as `next`.', schema: TEXT },
    ],
    responses: {
      200: answer(
        'Each with what the identifier is to it',
        closed(
          {
            found: listOf(closed({ by: listOf(TEXT), order: ref('Order') })),
            next: { type: 'string', description: 'There are more, of a card or a reference to it: `after` of the next page.' },
            areReferencesCut: {
              type: 'boolean',
              description: 'The card has more references than are looked for: orders by the others are on no page.',
            },
            index: INDEX,
          },
          ['next', 'areReferencesCut', 'index'],
        ),
      ),
      ...UNREADABLE,
    },
  },
  'show-order': {
    id: 'order',
    summary: 'One order; that it was asked is on record',
    parameters: [ORDER_ID],
    responses: { 200: answer('As its stream has it, with its holds and erasures', ref('ShownOrder')), ...UNREADABLE, ...ORDER_NOT_FOUND },
  },
  'list-deliveries': {
    id: 'orderDeliveries',
    summary: 'Its callbacks and every try of each; that it was asked is on record',
    parameters: [ORDER_ID],
    responses: { 200: answer('The oldest first', closed({ deliveries: listOf(ref('Delivery')) })), ...UNREADABLE, ...ORDER_NOT_FOUND },
  },
  'settle-unknown': {
    id: 'resolveUnknownOutcome',
    summary: 'Say how an outcome ended that no gate has told',
    parameters: [ORDER_ID],
    body: bodyOf('Resolution', { as: 'declined', reason: 'The acquirer says so, by telephone', actor: 'kim' }),
    responses: {
      200: answer('It is resolved', closed({ order: ref('Order') })),
      ...ACTION,
      409: refused('Nothing of it is unknown, or the gate’s own word may be a moment away'),
    },
  },
  'record-report': {
    id: 'recordReport',
    summary: 'Record a reversal, a chargeback, the outcome of a representment or a fraud warning that came on paper or in a file',
    parameters: [ORDER_ID],
    body: bodyOf('DisputeReport', {
      kind: 'chargeback',
      case: 'CB-77',
      amount: '10.42',
      currency: 'USD',
      reasonCode: '10.4',
      date: '2026-11-24',
    }),
    responses: {
      200: answer('It is recorded, now or before', closed({ order: ref('Order'), isKnown: { type: 'boolean' } })),
      202: answer('It came from a file and does not fit the order: kept for a person to look at', closed({ setAside: TEXT })),
      ...ACTION,
      409: refused('It does not fit the order'),
    },
  },
  'resend-delivery': {
    id: 'resendDelivery',
    summary: 'Have a callback sent once more, under the same id and with the same bytes',
    parameters: [named('deliveryId', '`<webhook-id>:<target>`, as the deliveries of the order have it.')],
    body: bodyOf('Resend', { reason: 'The shop lost it' }),
    responses: {
      202: answer('It is due at once', closed({ deliveryId: TEXT, merchant: TEXT, isDueAlready: { type: 'boolean' } })),
      ...ACTION,
    },
  },
  'unpark-stream': {
    id: 'unparkStream',
    summary: 'Have a stream taken up again that the read models had parked',
    parameters: [named('stream', 'As the log line of the parking names it.')],
    body: bodyOf('Unpark', {}),
    responses: {
      200: answer('It is taken up', closed({ stream: TEXT, applied: PROJECTIONS, stillParked: PROJECTIONS })),
      ...ACTION,
      404: answer('No projection has parked it', UNPARK_REFUSED),
      409: answer('An event of it still cannot be applied', UNPARK_REFUSED),
    },
  },
} satisfies Partial<Record<OperatorRequestName, Asked>>;
