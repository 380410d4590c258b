import * as protocol from '@app/gateway-protocol';
import { sourceField, type SourceDecorator } from './message-source';
import { tableRow } from './markdown-table';

type Values = readonly (string | number)[];

const AMOUNT = 'amount, 10 characters';
const CURRENCY = 'ISO 4217 code';
const characters = (max: unknown): string => `text, ${String(max)} characters`;

/** A field's values by its decorator, with the maximum length. An unknown decorator stops the generation. */
const TYPES: Readonly<Record<string, (values: Values) => string>> = {
  MaxLength: ([max]) => characters(max),
  SignedText: ([max]) => `signed ${characters(max)}`,
  MaxBytes: ([max]) => `text, ${String(max)} bytes`,
  IsAmount: () => AMOUNT,
  IsReportedAmountBeside: () => 'amount, 16 characters',
  IsAmountList: ([max]) => `amounts separated by commas, ${String(max)} characters`,
  IsCurrency: () => CURRENCY,
  IsCurrencyBeside: () => CURRENCY,
  IsCountry: () => 'ISO 3166 alpha-2 code',
  IsStateOf: () => 'state code of US, CA or AU',
  IsCardNumber: () => '9 to 19 digits, Luhn',
  IsExpiryMonth: () => '1 to 12, one or two digits',
  IsExpiryYear: () => 'four digits, or two',
  IsCvv2: () => '3 or 4 digits',
  IsIpAddress: () => 'IP address',
  IsEmailAddress: ([max]) => `e-mail address, ${String(max)} characters`,
  IsWebAddress: () => 'web address, 1024 characters',
  IsIn: (values) => values.map((value) => `\`${value}\``).join(' or '),
  IsCalendarDay: () => 'YYYYMMDD',
};

const SILENT = ['IsOptional', 'PlacedAfter'];

const exported: Readonly<Record<string, unknown>> = protocol;

/** A number, a text, or a constant of the protocol: a limit or a list of words. */
const valuesOf = (argument: string): Values => {
  if (/^[\d_]+$/.test(argument)) return [Number(argument.replaceAll('_', ''))];
  if (/^'[^']*'$/.test(argument)) return [argument.slice(1, -1)];
  const value = exported[argument];
  if (typeof value === 'number') return [value];
  if (Array.isArray(value)) return value as Values;
  throw new Error(`${argument} is no constant of @app/gateway-protocol`);
};

const typeOf = ({ name, arguments: given }: SourceDecorator): string => {
  const words = TYPES[name];
  if (words === undefined) throw new Error(`no words for the decorator ${name}`);
  return words(given.flatMap(valuesOf));
};

const isRequired = (decorators: readonly SourceDecorator[]): string => {
  const besides = decorators.find(({ name }) => name.endsWith('Beside'));
  if (besides !== undefined) return `with ${besides.arguments.flatMap(valuesOf).join('')}`;
  if (decorators.some(({ name }) => name === 'IsStateOf')) return 'for US, CA, AU';
  return decorators.some(({ name }) => name === 'IsOptional') ? 'no' : 'yes';
};

type MessageClass = Parameters<typeof protocol.fieldsOf>[0];

export const requestTable = (message: string): readonly string[] => {
  const Message = exported[message];
  if (typeof Message !== 'function') throw new Error(`${message} is no message of @app/gateway-protocol`);
  return [
    tableRow('Field', 'Required', 'Value', 'Meaning'),
    tableRow('---', '---', '---', '---'),
    ...protocol.fieldsOf(Message as MessageClass).map(({ name }) => {
      const { decorators, meaning } = sourceField(message, name);
      const types = decorators.filter((decorator) => !SILENT.includes(decorator.name)).map(typeOf);
      return tableRow(`\`${name}\``, isRequired(decorators), types.join('; '), meaning);
    }),
  ];
};
