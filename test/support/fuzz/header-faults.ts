import type { Dice } from './dice';

export interface WireHead {
  readonly method: string;
  readonly path: string;
  readonly version: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export const wireText = ({ method, path, version, headers }: WireHead): string =>
  `${method} ${path} ${version}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;

type HeadFault = (dice: Dice, head: WireHead) => WireHead;

const withHeader =
  (name: string, ...values: readonly string[]): HeadFault =>
  (dice, head) => ({ ...head, headers: [...head.headers, [name, dice.pick(values)]] });
const withPath =
  (change: (path: string, dice: Dice) => string): HeadFault =>
  (dice, head) => ({ ...head, path: change(head.path, dice) });

/** Exactly one header: with two, Node may obey either. */
const withConnection =
  (...values: readonly string[]): HeadFault =>
  (dice, head) => ({ ...head, headers: [...head.headers.filter(([name]) => name !== 'Connection'), ['Connection', dice.pick(values)]] });

const METHODS = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'post', 'FOO', 'PRI', 'SEARCH', 'M-SEARCH'];
const LONG = 'x'.repeat(7_000);

/** Faults outside the body: methods, paths and headers (safety, T28, T47 and T48). Hidden second requests are in the smuggling cases. */
const FAULTS: Readonly<Record<string, HeadFault>> = {
  'another method': (dice, head) => ({ ...head, method: dice.pick(METHODS) }),
  'HTTP/1.0': (_dice, head) => ({ ...head, version: 'HTTP/1.0' }),
  'no such version': (dice, head) => ({ ...head, version: dice.pick(['HTTP/2.0', 'HTTP/0.9', 'HTTP/1.2', 'http/1.1', '']) }),
  'a query': withPath((path, dice) => path + dice.pick(['?', '?a=1', '?login=acme&control=x', '?%', '?__proto__=1', '#x'])),
  'a slash more': withPath((path, dice) => dice.pick([`${path}/`, `/${path}`, path.replace('/api', '//api')])),
  'dots in the path': withPath((path, dice) => path.replace('/api/', dice.pick(['/api/./', '/x/../api/', '/api/%2e%2e/', '/..%2fapi/']))),
  'escapes in the path': withPath((path, dice) => path + dice.pick(['%', '%zz', '%ff', '%00', '%2f', '%20', '%c0%af', '%0d%0a'])),
  'bytes in the path': withPath((path, dice) => path + dice.pick(['\u00ff', '\u00e9', '\u0001', '\t', '"', '{', '\\', '\u007f'])),
  'another entry point': withPath((path, dice) =>
    path.replace(/\d+$/, dice.pick(['0', '7777', '9'.repeat(500), '-1', '1e3', '__proto__', '1001x'])),
  ),
  'a long path': withPath((path) => path + LONG),
  'an absolute target': withPath(
    (path, dice) => `${dice.pick(['http://elsewhere.example', 'http://[x', 'http://a@b:c', 'http://', 'ftp://x'])}${path}`,
  ),
  'JSON asked for': withHeader('Accept', 'application/vnd.pay+json'),
  'odd wishes': withHeader('Accept', '', '*/*;q=', ',,,', 'application/vnd.pay+json;q=0', ';'.repeat(2_000), 'text/html;q=NaN'),
  'a key': withHeader('Idempotency-Key', 'k1', '"k1"', 'k2', '"a\\"b"', 'x'.repeat(255)),
  'a broken key': withHeader('Idempotency-Key', '', '""', '"', '"a', '"a"b', '"\\a"', 'x'.repeat(256), '\u00e9', 'a\tb', ' ', '"\\"'),
  'a key twice': (_dice, head) => ({ ...head, headers: [...head.headers, ['Idempotency-Key', 'k1'], ['idempotency-key', 'k2']] }),
  'a method in a header': withHeader('X-HTTP-Method-Override', 'DELETE', 'GET'),
  'a sender in a header': withHeader('X-Forwarded-For', '127.0.0.1', '::1, 10.0.0.1', "' OR 1=1"),
  'a host in a header': withHeader('X-Forwarded-Host', 'elsewhere.example', ''),
  'a path in a header': withHeader('X-Original-URL', '/metrics', '/../'),
  'an authorization': withHeader('Authorization', 'Basic YWNtZTph', 'Bearer x', '', 'OAuth', `OAuth ${','.repeat(100)}`),
  cookies: withHeader('Cookie', 'a=b', LONG, '__proto__=1'),
  'a range': withHeader('Range', 'bytes=0-', 'bytes=-1'),
  conditions: withHeader('If-None-Match', '*', 'W/"x"'),
  'an expectation': withHeader('Expect', '100-continue', '200-ok'),
  // With `close`: after an ignored upgrade, Node leaves a faulty request unanswered until the connection times out.
  'an upgrade': (dice, head) => withHeader('Upgrade', 'h2c')(dice, withConnection('upgrade, close')(dice, head)),
  'an end of the connection': (dice, head) =>
    head.headers.some(([name]) => name === 'Upgrade') ? head : withConnection('close', 'keep-alive, close', 'TE')(dice, head),
  'a header too long': (_dice, head) => ({ ...head, headers: [...head.headers, ['X-Long', LONG], ['X-More', LONG]] }),
  'many headers': (_dice, head) => ({
    ...head,
    headers: [...head.headers, ...Array.from({ length: 300 }, (_value, index): [string, string] => [`x${index}`, 'y'])],
  }),
  'a header that is none': (dice, head) => ({ ...head, headers: [...head.headers, [dice.pick(['', 'a b', 'a(', '\u00e9', 'x\0']), '1']] }),
  'a value that is none': withHeader('X-Value', 'a\0b', 'a\rb', '\u0001', '\u007f'),
  'no host': (_dice, head) => ({ ...head, headers: head.headers.filter(([name]) => name !== 'Host') }),
  'another host': (dice, head) => ({
    ...head,
    headers: head.headers.map(([name, value]) => [
      name,
      name === 'Host' ? dice.pick(['', 'elsewhere.example', '[', 'a:b:c', 'x y']) : value,
    ]),
  }),
};

const NAMES = Object.keys(FAULTS);

export const faultyHead = (dice: Dice, head: WireHead): { readonly head: WireHead; readonly what: string } => {
  const what = dice.pick(NAMES);
  return { head: FAULTS[what]?.(dice, head) ?? head, what };
};
