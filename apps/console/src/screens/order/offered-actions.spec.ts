import type { Role, Schemas } from '../../port';
import { offeredActions } from './offered-actions';

const RANKS: readonly Role[] = ['viewer', 'investigator', 'operator', 'admin'];
const order = (changes: object = {}) =>
  ({
    status: 'approved',
    stage: 'sale_approved',
    finalAt: 'then',
    initialAmount: '10.00',
    followUps: [],
    ...changes,
  }) as unknown as Schemas['ShownOrder'];
const offeredTo = (role: Role, state: Schemas['ShownOrder'], operation = 'sale'): string =>
  offeredActions(state, operation)
    .filter((action) => RANKS.indexOf(role) >= RANKS.indexOf(action.role))
    .map(({ name }) => name)
    .join(' ');

describe('the actions of an approved sale', () => {
  it.each<[Role, string]>([
    ['viewer', ''],
    ['investigator', 'evidence reveal'],
    ['operator', 'return void evidence reveal dispute hold'],
    ['admin', 'return void evidence reveal dispute hold erase'],
  ])('offers %s: %s', (role, actions) => {
    expect(offeredTo(role, order())).toBe(actions);
  });
});

it.each([
  [
    'an unknown outcome',
    order({ status: 'processing', stage: 'sale_unknown', finalAt: null }),
    'resolve evidence reveal dispute hold erase',
  ],
  [
    'an unknown refund',
    order({ followUps: [{ operation: 'reversal', amount: '4.00', status: 'unknown' }] }),
    'resolve return evidence reveal dispute hold erase',
  ],
  ['a legal hold', order({ status: 'declined', erasure: { heldSince: 'then', done: [] } }), 'evidence reveal dispute release-hold'],
  ['erased personal data', order({ status: 'declined', erasure: { done: [{}] } }), 'evidence dispute hold erase'],
])('offers an admin what %s allows', (_, state, actions) => {
  expect(offeredTo('admin', state)).toBe(actions);
});
