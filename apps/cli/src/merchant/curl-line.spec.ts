import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { CommandFailed } from '../command-failed';
import { curlLine } from './curl-line';
import { shellWord } from './shell-word';

it('is one line for a shell', () => {
  const line = curlLine({ url: 'http://127.0.0.1:8080/paynet/api/v2/status/1001', fields: [['order_desc', "Mary's tea"]] });
  expect(line).toBe(`curl -sS http://127.0.0.1:8080/paynet/api/v2/status/1001 --data-urlencode 'order_desc=Mary'\\''s tea'`);
});

it('carries the Authorization header of a v4 request', () => {
  const line = curlLine({ url: 'http://127.0.0.1:8080/x', authorization: 'OAuth oauth_nonce="1"', fields: [] });
  expect(line).toBe(`curl -sS http://127.0.0.1:8080/x --header 'Authorization: OAuth oauth_nonce="1"'`);
});

it('throws for a callback, which no merchant sends', () => {
  expect(() => curlLine({ url: undefined, fields: [] })).toThrow(CommandFailed);
});

it('gives every text to a shell unchanged', () => {
  const texts = fc.array(
    fc.string({ unit: 'grapheme' }).filter((text) => !/[\0\ud800-\udfff]/.test(text)),
    { minLength: 1, maxLength: 20 },
  );
  fc.assert(
    fc.property(texts, (words) => {
      const printed = execFileSync('sh', ['-c', `printf '%s\\0' ${words.map(shellWord).join(' ')}`], { encoding: 'utf8' });
      expect(printed.split('\0').slice(0, -1)).toStrictEqual(words);
    }),
    { numRuns: 30 },
  );
});
