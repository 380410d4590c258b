import type { GateAlias } from '@app/kernel';
import type { RoutingRule } from '@app/configuration';
import { namedRouting } from './routing-rules-repository';

const A = 'sim-a' as GateAlias;
const B = 'sim-b' as GateAlias;
const rule = (changes: Partial<RoutingRule> = {}): RoutingRule => ({
  name: 'visa',
  when: { bins: ['444433', '555555'], amountFromMinor: 100n },
  choice: { kind: 'cascade', gates: [A, B] },
  ...changes,
});
const versionOf = (...rules: readonly RoutingRule[]): string | undefined => namedRouting(rules)?.version;

describe('the version of routing rules', () => {
  it('is undefined without rules', () => {
    expect(namedRouting(undefined)).toBeUndefined();
  });

  it('does not depend on the order of list entries or members', () => {
    const same = rule({ when: { amountFromMinor: 100n, bins: ['555555', '444433'] } });
    expect(versionOf(same)).toBe(versionOf(rule()));
    expect(versionOf(rule())).toMatch(/^[a-z2-7]{52}$/);
  });

  it.each<[string, readonly RoutingRule[]]>([
    ['name', [rule({ name: 'other' })]],
    ['condition', [rule({ when: { bins: ['444433', '555555'], amountFromMinor: 101n } })]],
    ['order of gates', [rule({ choice: { kind: 'cascade', gates: [B, A] } })]],
    ['choice', [rule({ choice: { kind: 'least-commission', gates: [A, B] } })]],
    ['further rule', [rule(), rule({ name: 'other' })]],
  ])('changes with another %s', (_, rules) => {
    expect(versionOf(...rules)).not.toBe(versionOf(rule()));
  });

  it('changes with the order of the rules', () => {
    const second = rule({ name: 'second' });
    expect(versionOf(rule(), second)).not.toBe(versionOf(second, rule()));
  });

  it('is computed once for each configured rule list', () => {
    const rules = [rule()];
    expect(namedRouting(rules)).toBe(namedRouting(rules));
  });
});
