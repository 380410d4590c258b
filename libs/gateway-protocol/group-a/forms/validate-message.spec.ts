import * as fc from 'fast-check';
import { IsOptional } from 'class-validator';
import { MaxLength } from '../../shared/validation/field-decorators';
import { Form } from './form-codec';
import { fieldsOf, PlacedAfter } from '../../shared/validation/message-fields';
import { MakeRebillSaleRequest } from '../messages';
import { readAmount, readClientOrderId, validateMessage } from './validate-message';

class Base {
  @MaxLength(3)
  readonly first!: string;

  @IsOptional()
  @MaxLength(3)
  readonly last?: string;
}

class Extended extends Base {
  @PlacedAfter('first')
  @MaxLength(3)
  readonly second!: string;
}

const VALID = {
  client_orderid: 'inv-1',
  login: 'acme',
  cardrefid: 'ab3de5fgh7jklm9npqrc',
  order_desc: 'March',
  amount: '10.42',
  currency: 'USD',
  ipaddress: '203.0.113.9',
  control: 'c0',
};

describe('validating a message', () => {
  it('names the first faulty field in table order, whether inherited or not', () => {
    expect(fieldsOf(Extended).map(({ name }) => name)).toStrictEqual(['first', 'second', 'last']);
    const refusedField = (values: Record<string, string>) => validateMessage(Extended, Form.of(Object.entries(values)));
    expect(refusedField({})).toMatchObject({ refused: { field: 'first' } });
    expect(refusedField({ first: 'a', last: 'long' })).toMatchObject({ refused: { field: 'second' } });
    expect(refusedField({ first: 'a', second: 'b', last: 'long' })).toStrictEqual({
      refused: { field: 'last', message: 'last must be at most 3 characters' },
    });
    expect(refusedField({ last: 'a', second: 'b', first: 'c' })).toEqual({ ok: { first: 'c', second: 'b', last: 'a' } });
  });

  it('names the same faulty field for any order of parameters', () => {
    const faults = ['client_orderid', 'order_desc', 'amount', 'currency', 'ipaddress', 'control'] as const;
    fc.assert(
      fc.property(
        fc.subarray([...faults], { minLength: 1 }),
        fc.shuffledSubarray(Object.keys(VALID), { minLength: 8 }),
        (missing, order) => {
          const pairs = order
            .filter((name) => !missing.some((fault) => fault === name))
            .map((name) => [name, VALID[name as keyof typeof VALID]] as const);
          expect(validateMessage(MakeRebillSaleRequest, Form.of(pairs))).toMatchObject({ refused: { field: missing[0] } });
        },
      ),
    );
  });

  it('copies only known fields (safety, T24 and T25)', () => {
    const anyName = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString', 'status', 'isPaid', 'prototype'));
    fc.assert(
      fc.property(fc.dictionary(anyName, fc.string()), (extra) => {
        const pairs = [...Object.entries(extra).filter(([name]) => !(name in VALID)), ...Object.entries(VALID)];
        const known = pairs.filter(([name]) => fieldsOf(MakeRebillSaleRequest).some((field) => field.name === name));
        fc.pre(known.length === Object.keys(VALID).length);
        const answer = validateMessage(
          MakeRebillSaleRequest,
          Form.of([['__proto__', '{"isPaid":true}'], ...pairs.filter(([name]) => name !== '__proto__')]),
        );
        if ('refused' in answer) throw new Error(answer.refused.message);
        expect({ ...answer.ok }).toStrictEqual(VALID);
        expect(answer.ok).toBeInstanceOf(MakeRebillSaleRequest);
        expect(({} as Record<string, unknown>)['isPaid']).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
  });

  it('refuses a lone surrogate because UTF-8 cannot encode it', () => {
    expect(validateMessage(MakeRebillSaleRequest, Form.of(Object.entries({ ...VALID, order_desc: 'a\ud800b' })))).toStrictEqual({
      refused: { field: 'order_desc', message: 'order_desc must be well-formed Unicode' },
    });
  });

  it('does not repeat a value in its error message', () => {
    const canary = fc.string({ unit: 'grapheme', minLength: 12 }).map((text) => `CANARY${text}`);
    fc.assert(
      fc.property(fc.constantFrom(...fieldsOf(MakeRebillSaleRequest).map(({ name }) => name)), canary, (field, value) => {
        const answer = validateMessage(MakeRebillSaleRequest, Form.of(Object.entries({ ...VALID, [field]: value.repeat(200) })));
        if ('refused' in answer) expect(JSON.stringify(answer.refused)).not.toContain('CANARY');
      }),
    );
  });

  it('throws for a class that declares no field or misplaces a field', () => {
    class Nothing {}
    class Misplaced {
      @PlacedAfter('nowhere')
      @MaxLength(3)
      readonly first!: string;
    }
    expect(() => validateMessage(Nothing, Form.of([]))).toThrow('Nothing declares no field');
    expect(() => validateMessage(Misplaced, Form.of([]))).toThrow('Misplaced: first is placed after nowhere, which is not there');
  });
});

describe('reading the amount that a checksum covers (protocol decisions, section 4)', () => {
  it.each<[text: string, minor: bigint]>([
    ['0.94', 94n],
    ['10.15', 1015n],
    ['10.5', 1050n],
    [' 4.35\n', 435n],
    ['0', 0n],
    ['19.9900', 1999n],
  ])('reads %j as %d minor units [W135]', (text, minor) => expect(readAmount(Form.of([['amount', text]]))).toStrictEqual({ ok: minor }));

  it.each([
    ['1e3', 'amount must be an amount such as 10.50, at most 10 characters before any zeros that follow two decimals'],
    ['', 'amount is required'],
  ])('refuses %j', (text, message) =>
    expect(readAmount(Form.of([['amount', text]]))).toStrictEqual({ refused: { field: 'amount', message } }),
  );
});

describe('the client_orderid that a refusal returns (protocol decisions, section 4) [W265]', () => {
  it.each(['o-1', 'x'.repeat(128), '💳'.repeat(128), ' o-1\n'])('is returned for the valid value %j [W286]', (text) =>
    expect(readClientOrderId(Form.of([['client_orderid', text]]))).toBe(text.trim()),
  );

  it.each(['', ' ', 'x'.repeat(129), '💳'.repeat(129), 'a\u0007b'])('is omitted for the invalid value %j', (text) =>
    expect(readClientOrderId(Form.of([['client_orderid', text]]))).toBeUndefined(),
  );
});
