import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { format, inspect } from 'node:util';
import { Secret } from './secret';

const VALUE = 'hidden-value';
const secret = new Secret(VALUE);
const structured = new Secret({ inner: VALUE });

const printed = (...values: readonly unknown[]): string => {
  let text = '';
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      text += chunk.toString();
      done();
    },
  });
  new Console({ stdout: stream, stderr: stream }).log(...values);
  return text;
};

const caused = (value: unknown): Error => new Error('failed', { cause: { card: value } });

describe('Secret', () => {
  it('returns its value from reveal', () => {
    expect(secret.reveal()).toBe(VALUE);
    expect(structured.reveal()).toStrictEqual({ inner: VALUE });
  });

  it.each<[string, (value: Secret<unknown>) => string, string]>([
    // eslint-disable-next-line @typescript-eslint/restrict-template-expressions -- what the type check forbids is what is tried here
    ['a template', (value) => `${value}`, '[redacted]'],
    ['String()', (value) => String(value), '[redacted]'],
    ['concatenation', (value) => ['a', value].join(''), 'a[redacted]'],
    ['JSON', (value) => JSON.stringify(value), '"[redacted]"'],
    ['JSON, deep inside', (value) => JSON.stringify({ a: [{ card: value }] }), '{"a":[{"card":"[redacted]"}]}'],
    ['util.inspect', (value) => inspect(value), '[redacted]'],
    ['util.inspect with all shown', (value) => inspect(value, { showHidden: true, depth: Infinity, getters: true }), '[redacted]'],
    ['util.inspect, deep inside', (value) => inspect({ a: new Map([['card', value]]) }), "{ a: Map(1) { 'card' => [redacted] } }"],
    ['format %s', (value) => format('%s', value), '[redacted]'],
    ['format %o', (value) => format('%o', value), '[redacted]'],
    ['format %O', (value) => format('%O', value), '[redacted]'],
    ['format %j', (value) => format('%j', value), '"[redacted]"'],
    ['format with a surplus value', (value) => format('card:', value), 'card: [redacted]'],
    ['the console', (value) => printed('card', value), 'card [redacted]\n'],
    ['the console, deep inside', (value) => printed({ card: value }), '{ card: [redacted] }\n'],
  ])('prints [redacted] through %s', (_, print, expected) => {
    expect(print(secret)).toBe(expected);
    expect(print(structured)).toBe(expected);
  });

  it.each<[string, (value: Secret<unknown>) => string]>([
    ['an error cause, inspected', (value) => inspect(caused(value), { depth: Infinity, showHidden: true })],
    ['an error cause, on the console', (value) => printed(caused(value))],
    ['a cause of a cause', (value) => inspect(new Error('above', { cause: caused(value) }), { depth: Infinity })],
    ['the errors of an AggregateError', (value) => inspect(new AggregateError([caused(value)], 'many'), { depth: Infinity })],
    ['an error cause as JSON', (value) => JSON.stringify({ cause: caused(value).cause })],
  ])('prints [redacted] in %s', (_, print) => {
    for (const value of [secret, structured]) {
      const text = print(value);
      expect(text).toContain('[redacted]');
      expect(text).not.toContain(VALUE);
    }
  });

  it.each<[string, (value: Secret<unknown>) => string]>([
    ['its members', (value) => JSON.stringify([Reflect.ownKeys(value), Object.entries(value), { ...value }])],
    ['a clone', (value) => JSON.stringify(structuredClone(value))],
    ['util.inspect without its own word', (value) => inspect(value, { customInspect: false, showHidden: true, depth: Infinity })],
    ['a number of it', (value) => format('%d %i %f', value, value, value)],
    ['the stack of an error that names it', (value) => new Error(String(value)).stack ?? ''],
  ])('shows nothing of its value through %s', (_, print) => {
    expect(print(secret)).not.toContain(VALUE);
    expect(print(structured)).not.toContain(VALUE);
  });

  it('does not appear in the error of code that fails to read it', () => {
    const revealOther = (): unknown => Secret.prototype.reveal.call({ value: VALUE });
    expect(revealOther).toThrow(TypeError);
    expect(revealOther).not.toThrow(VALUE);
  });
});
