import { Secret, type Currency } from '@app/kernel';
import fc from 'fast-check';
import { choiceNeeded, readChoice } from './device-session';

const USD = 'USD' as Currency;
const TOKEN = '0f7d3c1e-2222-4a4a-8b8b-333333333333';
const fee = (assignedId: string, minor = 1n) => ({ assignedId, commissionCentis: minor, currency: 'USD' });
const offered = (...aliases: readonly string[]) => {
  const answer = choiceNeeded(
    aliases.map((alias) => fee(alias)),
    USD,
    TOKEN,
  );
  if (answer.kind !== 'choice-needed') throw new Error('expected a choice');
  return { options: answer.options.map(({ option }) => option), chosen: (option: string) => readChoice(answer.session, option) };
};

describe('fees of an upstream gateway', () => {
  it('are offered under their aliases with their commissions', () => {
    expect(choiceNeeded([fee('gate-a', 40n), fee('gate-b', 250n)], USD, TOKEN)).toMatchObject({
      kind: 'choice-needed',
      options: [
        { option: 'gate-a', commission: { minor: 40n, currency: 'USD' } },
        { option: 'gate-b', commission: { minor: 250n, currency: 'USD' } },
      ],
    });
  });

  it.each(['status', 'Gate A', 'ö', 'a/b', 'x'.repeat(65), 'fee-2', '__proto__', 'constructor_'])(
    'get a generated name if the alias is not valid in our paths: %s',
    (alias) => {
      const { options, chosen } = offered('gate-a', alias);
      expect(options).toStrictEqual(['gate-a', 'fee-2']);
      expect(chosen('fee-2')).toStrictEqual({ token: TOKEN, assignedId: alias });
      expect(chosen('gate-a')).toStrictEqual({ token: TOKEN, assignedId: 'gate-a' });
    },
  );

  it('get generated names if the upstream gateway repeats an alias', () => {
    expect(offered('gate-a', 'gate-a').options).toStrictEqual(['fee-1', 'fee-2']);
  });

  it('are not recognised if they exceed the limits of count or length', () => {
    const unrecognised = { kind: 'unknown', cause: 'unrecognised-answer' };
    expect(
      choiceNeeded(
        Array.from({ length: 21 }, (_, index) => fee(`gate-${index}`)),
        USD,
        TOKEN,
      ),
    ).toStrictEqual(unrecognised);
    expect(
      choiceNeeded(
        Array.from({ length: 20 }, (_, index) => fee(`${'Ä'.repeat(60)}${index}`)),
        USD,
        TOKEN,
      ),
    ).toStrictEqual(unrecognised);
  });

  it('do not reveal the session token in JSON', () => {
    expect(
      JSON.stringify(choiceNeeded([fee('gate-a')], USD, TOKEN), (_, value: unknown) => (typeof value === 'bigint' ? '1' : value)),
    ).not.toContain(TOKEN);
  });

  it('have distinct option names that map back to the offered aliases', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 5 }), (aliases) => {
        const { options, chosen } = offered(...aliases);
        expect(new Set(options).size).toBe(options.length);
        for (const [index, option] of options.entries()) {
          expect(option).toMatch(/^(?!status$)[a-z0-9-]{1,64}$/);
          expect(chosen(option)?.assignedId).toBe(aliases[index]);
        }
      }),
    );
  });

  it.each([
    '',
    'null',
    '[]',
    '{}',
    '{"token":1,"renamed":{}}',
    '{"token":"a"}',
    '{"token":"a","renamed":null}',
    '{"token":"a","renamed":{"x":1}}',
  ])('cannot be chosen with an invalid session: %s', (session) => {
    expect(readChoice(new Secret(session), 'x')).toBeUndefined();
  });
});
