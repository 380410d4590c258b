import type { Schemas } from '../../port';
import { authenticationText, moneyActions, refundedMinor, stageText, statusOf } from './order-words';

type FollowUp = Schemas['FollowUpSummary'];

const order = (changes: Partial<Schemas['ShownOrder']>, ...followUps: readonly Partial<FollowUp>[]) =>
  ({ status: 'approved', initialAmount: '10.00', followUps, ...changes }) as unknown as Schemas['ShownOrder'];
const followUp = (operation: FollowUp['operation'], amount: string, status: FollowUp['status'] = 'approved') => ({
  operation,
  amount,
  status,
});

it.each([
  ['sale_approved', 'Sale, approved'],
  ['auth_3d_validating', 'Preauthorisation, payer must authenticate'],
  ['reversal_unknown', 'Refund, unknown'],
  ['of_a_later_release', 'of_a_later_release'],
])('says the stage %s as %s', (stage, words) => {
  expect(stageText(stage)).toBe(words);
});

it('says how the payer authenticated', () => {
  expect(authenticationText('AUTHENTICATED')).toBe('The payer was authenticated');
  expect(authenticationText('of a later release')).toBe('of a later release');
});

it('shows an order as unknown while the gate’s answer is missing', () => {
  expect(statusOf(order({ status: 'processing', stage: 'sale_unknown', finalAt: null }))).toBe('unknown');
  expect(statusOf(order({ status: 'approved', stage: 'reversal_unknown', finalAt: 'then' }))).toBe('approved');
});

describe('the movements of money that a state allows', () => {
  it.each([
    ['nothing before the approval', order({ status: 'processing' }), 'sale', []],
    ['nothing of an account verification', order({}), 'account-verification', []],
    ['a refund or a void of a sale', order({}), 'sale', ['return', 'void']],
    ['no void after a refund', order({}, followUp('reversal', '4.00')), 'sale', ['return']],
    ['no refund of more than was taken, with an open one counted', order({}, followUp('reversal', '10.00', 'unknown')), 'sale', []],
    ['another refund after a declined one', order({}, followUp('reversal', '10.00', 'declined')), 'sale', ['return', 'void']],
    ['nothing after a void', order({}, followUp('void', '10.00')), 'sale', []],
    ['a capture or a release of a preauthorisation', order({}), 'preauth', ['capture', 'return']],
    ['a refund of what was captured', order({}, followUp('capture', '10.00')), 'preauth', ['return']],
    ['nothing after a full release', order({}, followUp('cancel', '10.00')), 'preauth', []],
  ])('allows %s', (_, state, operation, actions) => {
    expect(moneyActions(state, operation)).toStrictEqual(actions);
  });

  it('adds up approved and open refunds', () => {
    expect(
      refundedMinor(order({}, followUp('reversal', '4.5'), followUp('reversal', '1.05', 'unknown'), followUp('reversal', '3', 'declined'))),
    ).toBe(555n);
  });
});
