import type { Role, Schemas } from '../../port';
import { decisionsOf, effectText, statusOf } from './proposal';

type ListedApproval = Schemas['ListedApproval'];

const NOW = Date.parse('2026-11-29T01:00:00Z');
const approval = (changes: Partial<ListedApproval> = {}): ListedApproval => ({
  approvalId: 'a1',
  action: 'return-order',
  target: '1218710674',
  merchant: 'acme',
  amount: '10.00',
  currency: 'EUR',
  to: null,
  followUp: null,
  status: 'waiting',
  proposer: 'operator:kim',
  decider: null,
  isAlone: false,
  cause: null,
  proposedAt: '2026-11-29T00:00:00Z',
  expiresAt: '2026-11-30T00:00:00Z',
  decidedAt: null,
  ...changes,
});
const RANKS: readonly Role[] = ['viewer', 'investigator', 'operator', 'admin'];
const person = (name: string, role: Role) => ({ name, can: (wanted: Role) => RANKS.indexOf(role) >= RANKS.indexOf(wanted) });

describe('decisions', () => {
  it.each<[string, Role, Partial<ListedApproval>, readonly string[]]>([
    ['joe', 'operator', {}, ['approve', 'reject']],
    ['kim', 'operator', {}, ['withdraw']],
    ['kim', 'admin', {}, ['withdraw', 'alone']],
    ['joe', 'investigator', {}, []],
    ['joe', 'operator', { action: 'erase-order' }, []],
    ['joe', 'admin', { action: 'erase-order' }, ['approve', 'reject']],
    ['joe', 'operator', { expiresAt: '2026-11-29T00:59:59Z' }, []],
    ['joe', 'operator', { status: 'approved' }, ['execute']],
    ['joe', 'admin', { status: 'done' }, []],
  ])('of %s, %s, on %j', (name, role, changes, decisions) => {
    expect(decisionsOf(approval(changes), person(name, role), NOW)).toEqual(decisions);
  });
});

it('a proposal that nobody decided in time has expired', () => {
  expect(statusOf(approval({ expiresAt: '2026-11-29T01:00:00Z' }), NOW)).toMatchObject({ status: 'expired', word: 'Expired' });
});

it.each<[Partial<ListedApproval>, string]>([
  [{}, '10.00 EUR goes back to the payer, or a hold of that sum on the card is released.'],
  [{ action: 'settle-unknown', to: 'approved', followUp: 2 }, 'Follow-up 2 of the order of 10.00 EUR becomes approved: money moved.'],
  [{ action: 'settle-unknown', to: 'declined' }, 'The order of 10.00 EUR becomes declined: no money moved.'],
])('says the effect of %j', (changes, text) => expect(effectText(approval(changes), '10.00 EUR')).toBe(text));
