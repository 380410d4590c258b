import type { OperatorRequestName } from '@app/investigation';
import { ref, type DocumentedParameter } from './documented-operation';
import { DIFFERENCE, WHY } from './history.schemas';
import { closed, listOf, TEXT } from './operator.schemas';
import { answer, refused, UNREADABLE, ORDER_ID, type Asked } from './operator-answers';

const NOT_THEN = { 404: refused('There is none of this id, or it was not there then') };

const MOMENT: readonly DocumentedParameter[] = [
  { name: 'atVersion', in: 'query', required: false, description: 'As of this event, counted from 0.', schema: TEXT },
  { name: 'knownAt', in: 'query', required: false, description: 'What was on record at this time, with Z or an offset.', schema: TEXT },
  { name: 'trueAt', in: 'query', required: false, description: 'What was so at this time by the gates’ own clocks.', schema: TEXT },
];

export const ASKED_OF_HISTORY = {
  'show-order-as-of': {
    id: 'orderStateAsOf',
    summary: 'The state of an order as of a moment, with the events that count then',
    parameters: [ORDER_ID, ...MOMENT],
    responses: { 200: answer('As of then', ref('OrderStateAsOf')), ...UNREADABLE, ...NOT_THEN },
  },
  'diff-order': {
    id: 'orderDifference',
    summary: 'What differs between two moments of an order, and the event behind each changed field',
    parameters: [
      ORDER_ID,
      {
        name: 'from',
        in: 'query',
        required: true,
        description: 'A revision, counted from 0, or a time with Z or an offset.',
        schema: TEXT,
      },
      { name: 'to', in: 'query', required: true, description: 'The same, and not earlier.', schema: TEXT },
      { name: 'true', in: 'query', required: false, description: '`true`: times are the gates’ own.', schema: TEXT },
    ],
    responses: { 200: answer('Each field', closed({ differences: listOf(DIFFERENCE) })), ...UNREADABLE, ...NOT_THEN },
  },
  'explain-order': {
    id: 'orderWhy',
    summary: 'The event that gave a field of an order its value, its actor, and its causes back to the request',
    parameters: [
      ORDER_ID,
      {
        name: 'field',
        in: 'query',
        required: true,
        description: 'As the state has it: `status`, `card.bin`, `followUps[0].status`.',
        schema: TEXT,
      },
      ...MOMENT,
    ],
    responses: { 200: answer('The event and its causes', WHY), ...UNREADABLE, ...NOT_THEN },
  },
  'list-unknown-as-of': {
    id: 'unknownOrdersAsOf',
    summary: 'The orders with an outcome that was unknown at a time, as they were then; page by page, of which some may be empty',
    parameters: [
      { name: 'knownAt', in: 'query', required: true, description: 'A time with Z or an offset.', schema: TEXT },
      { name: 'merchant', in: 'query', required: false, description: 'Of this merchant alone.', schema: TEXT },
      { name: 'after', in: 'query', required: false, description: 'The `next` of the page before.', schema: TEXT },
      { name: 'limit', in: 'query', required: false, description: 'Orders of a page: 100, at most 200.', schema: TEXT },
    ],
    responses: {
      200: answer('A page', closed({ orders: listOf(ref('Order')), untold: listOf(TEXT), next: TEXT }, ['next'])),
      ...UNREADABLE,
    },
  },
} satisfies Partial<Record<OperatorRequestName, Asked>>;
