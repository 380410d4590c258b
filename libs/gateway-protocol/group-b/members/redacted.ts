import { inspect } from 'node:util';

const VEIL = '[redacted]';

/**
 * What a message of this class, once it was read, must not show when it is logged or turned into JSON whole (safety, T32). Who sends such a message
 * writes it as a plain object; who takes a value from it names the member.
 */
export const Redacted =
  (...members: readonly string[]): ClassDecorator =>
  (Message) => {
    function shown(this: object): Record<string, unknown> {
      const entries = Object.entries(this).filter(([, value]) => value !== undefined);
      return Object.fromEntries(entries.map(([name, value]) => [name, members.includes(name) ? VEIL : (value as unknown)]));
    }
    const prototype = Message.prototype as object;
    for (const name of ['toJSON', inspect.custom]) Object.defineProperty(prototype, name, { value: shown });
  };
