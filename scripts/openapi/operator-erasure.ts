import type { OperatorRequestName } from '@app/investigation';
import { closed, listOf, TEXT } from './operator.schemas';
import { answer, refused, UNREADABLE, ACTION, named, ORDER_ID, bodyOf, type Asked } from './operator-answers';

const ERASED = closed(
  {
    requestId: { type: 'string', description: 'By which the events of it are found.' },
    texts: { type: 'integer', description: 'Keys of sealed texts that were destroyed.' },
    cards: { type: 'integer', description: 'Cards that were shredded.' },
  },
  ['requestId'],
);

export const ASKED_OF_ERASURE = {
  'erase-order': {
    id: 'eraseOrder',
    summary: 'Destroy the keys of an order’s personal data and texts, and its cards; its events stay as they are',
    parameters: [ORDER_ID],
    body: bodyOf('EraseOrder', { reason: 'The payer asked for it, ticket 4711', endsReferences: true }),
    responses: {
      200: answer('It is done; without `requestId` nothing was left', ERASED),
      ...ACTION,
      409: refused('It is under legal hold, or what it holds is still needed: `error` says what for'),
    },
  },
  'erase-card': {
    id: 'eraseCard',
    summary: 'Shred the card behind a reference; every reference to it ends',
    parameters: [named('cardRefId', 'As create-card-ref gave it.')],
    body: bodyOf('EraseCard', { reason: 'The payer asked for it, ticket 4711' }),
    responses: {
      200: answer('It is done; without `requestId` nothing was left', ERASED),
      ...ACTION,
      409: refused('Its order is under legal hold, or not final'),
    },
  },
  'place-hold': {
    id: 'placeLegalHold',
    summary: 'Keep an order from being erased, on request or by age',
    parameters: [ORDER_ID],
    body: bodyOf('Hold', { reason: 'A court asks for it, 12 O 3/26' }),
    responses: {
      200: answer('It is held, now or before', closed({ isHeld: { type: 'boolean' } })),
      ...ACTION,
      409: refused('It is being erased'),
    },
  },
  'release-hold': {
    id: 'releaseLegalHold',
    summary: 'Let an order be erased again',
    parameters: [ORDER_ID],
    body: bodyOf('Hold', { reason: 'The case is closed' }),
    responses: {
      200: answer('It is not held any more', closed({ isHeld: { type: 'boolean' } })),
      ...ACTION,
      409: refused('It is not held'),
    },
  },
  'find-customer': {
    id: 'customerOrders',
    summary: 'The orders of one payer at one merchant, a page at a time, by opening the customer of each',
    body: bodyOf('FindCustomer', { merchant: 'acme', customer: 'jane@example.com' }),
    responses: {
      200: answer(
        'A page may have none, and there may be more all the same',
        closed(
          {
            orders: listOf(
              closed({ orderId: TEXT, clientOrderId: TEXT, status: TEXT, acceptedAt: { type: 'string', format: 'date-time' } }),
            ),
            next: { type: 'string', description: 'There is more of the log: `after` of the next page.' },
          },
          ['next'],
        ),
      ),
      ...ACTION,
    },
  },
  'list-keys': {
    id: 'vaultKeys',
    summary: 'How many rows of the vault lie under which key-encrypting key; every row is looked at',
    responses: {
      200: answer(
        'By the id of the key; what is erased lies under none',
        closed({
          primary: { type: 'integer', description: 'Of the key that wraps what is new.' },
          keys: listOf(closed({ id: { type: 'integer' }, cards: { type: 'integer' }, orderKeys: { type: 'integer' } })),
          retired: listOf(TEXT),
        }),
      ),
      ...UNREADABLE,
    },
  },
} satisfies Partial<Record<OperatorRequestName, Asked>>;
