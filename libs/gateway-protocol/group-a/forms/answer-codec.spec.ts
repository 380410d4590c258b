import * as fc from 'fast-check';
import { codePoint } from '@app/testing/any-text';
import { parseFormAnswer, writeAnswer, writeFormAnswer, writeJsonAnswer } from './answer-codec';
import { trimmedEnd } from '../../shared/request-texts';

describe('answer bodies (interface 4.1; protocol decisions, section 3)', () => {
  it('joins pairs by &, ends every value with a newline, and omits pairs without a value [W221]', () => {
    const pairs = [
      ['type', 'async-response'],
      ['merchant-order-id', undefined],
      ['error-message', 'a b&c=d'],
    ] as const;
    expect(writeFormAnswer(pairs)).toBe('type=async-response\n&error-message=a+b%26c%3Dd\n');
    expect(writeJsonAnswer(pairs)).toBe('{"type":"async-response","error-message":"a b&c=d"}');
  });

  it.each(['a&status=approved', 'a\n&status=approved\n', '<script>alert(1)</script>', '%26status=approved', 'a;status=approved'])(
    'prevents the value %j from adding a field',
    (attack) => {
      const body = writeFormAnswer([['merchantdata', attack], ['status', 'declined']]); // prettier-ignore
      expect(body).not.toMatch(/<|approved\n.*approved/s);
      expect([...parseFormAnswer(body)]).toStrictEqual([['merchantdata', trimmedEnd(attack)], ['status', 'declined']]); // prettier-ignore
    },
  );

  const text = fc.oneof(fc.string({ unit: codePoint }), fc.constantFrom('a&status=approved', '<script>', '\n', '%', '+'));
  const pairsOnce = fc.uniqueArray(fc.tuple(text, text), { selector: ([name]) => name, maxLength: 6 });

  it('parses back 2,000 written responses, except for trailing white space [W222, W231]', () => {
    fc.assert(
      fc.property(pairsOnce, (pairs) => {
        expect([...parseFormAnswer(writeFormAnswer(pairs))]).toStrictEqual(pairs.map(([name, value]) => [name, trimmedEnd(value)]));
      }),
      { numRuns: 2_000 },
    );
  });

  it('writes the same data as JSON in the same order, even if names are digits or __proto__', () => {
    const read = (body: string): [string, unknown][] => Object.entries(JSON.parse(body) as object);
    fc.assert(
      fc.property(pairsOnce, (pairs) => {
        expect(new Map(read(writeJsonAnswer(pairs)))).toStrictEqual(new Map(pairs));
      }),
      { numRuns: 2_000 },
    );
    expect(writeJsonAnswer([['b', '1'], ['7', '2'], ['__proto__', '3']])).toBe('{"b":"1","7":"2","__proto__":"3"}'); // prettier-ignore
  });

  it('tolerates bad escapes, other line endings and repeated keys when reading', () => {
    expect([...parseFormAnswer('type=error\r\n&error-message=100%\n&type=status-response\n')]).toStrictEqual([
      ['type', 'error'],
      ['error-message', '100%'],
    ]);
  });

  it.each<[accept: string | undefined, contentType: string]>([
    [undefined, 'text/html;charset=utf-8'],
    ['*/*', 'text/html;charset=utf-8'],
    ['application/json', 'text/html;charset=utf-8'],
    ['application/vnd.pay+json', 'application/vnd.pay+json'],
    ['text/html, Application/Vnd.Pay+JSON; q=0.5', 'application/vnd.pay+json'],
    ['application/vnd.pay+json;q=0', 'text/html;charset=utf-8'],
    ['application/vnd.pay+json; q=0.000', 'text/html;charset=utf-8'],
    ['application/vnd.pay+json-seq', 'text/html;charset=utf-8'],
  ])('answers Accept: %s with content type %s', (accept, contentType) => {
    const answer = writeAnswer(accept, [['type', 'error']]);
    expect(answer).toStrictEqual({ contentType, body: contentType.startsWith('text') ? 'type=error\n' : '{"type":"error"}' });
  });
});
