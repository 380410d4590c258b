import { EventRefused } from '../port';

/** A value does not fit its field. The message names the field and never the value, which could be personal data. */
export class SchemaViolation extends EventRefused {
  readonly path: string;
  readonly fault: string;

  constructor(path: string, fault: string) {
    super(`${path}: ${fault}`);
    this.path = path;
    this.fault = fault;
  }

  below(name: string): SchemaViolation {
    const joint = this.path === '' || this.path.startsWith('[') ? '' : '.';
    return new SchemaViolation(`${name}${joint}${this.path}`, this.fault);
  }
}

export const schemaViolation = (fault: string): never => {
  throw new SchemaViolation('', fault);
};

export const asString = (value: unknown, lengthMax: number): string => {
  if (typeof value !== 'string') return schemaViolation('a text is expected');
  if (value.length > lengthMax) return schemaViolation(`longer than ${lengthMax} characters`);
  if (!value.isWellFormed()) return schemaViolation('half of a surrogate pair has no UTF-8 form');
  return value;
};

export const asSafeInteger = (value: unknown): number =>
  Number.isSafeInteger(value) ? (value as number) : schemaViolation('a whole number is expected');

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !ArrayBuffer.isView(value);

export const asObject = (value: unknown): Record<string, unknown> =>
  isPlainObject(value) ? value : schemaViolation('an object is expected');
