import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AccountVerificationRequest,
  CALLBACK_MEMBERS,
  CaptureRequest,
  CREATE_CARD_REF_FIELDS,
  CREATE_CARD_REF_V4_FIELDS,
  CreateCardRefRequest,
  fieldsOf,
  GET_CARD_INFO_FIELDS,
  GetCardInfoRequest,
  GROUP_A_KEYS,
  GROUP_A_OPERATIONS,
  GROUP_A_PATHS,
  MakeRebillSaleRequest,
  ORDER_STATUS_FIELDS,
  OrderStatusRequest,
  REFUSALS,
  ReturnRequest,
  SaleRequest,
  VoidRequest,
} from '@app/gateway-protocol';
import { RESULT_CODES } from '@app/kernel';

const SECTIONS = readFileSync(join(__dirname, '..', '..', 'docs', 'wire-rows.md'), 'utf8')
  .split('\n## ')
  .map((section) => {
    const [heading = '', ...rows] = section.split('\n');
    return { name: heading.replace(/^\D+ ([\d.]+):/, '$1'), rows };
  });

const rowsOf = (section: string): readonly string[] => SECTIONS.flatMap(({ name, rows }) => (name.startsWith(section) ? rows : []));
const withoutRow = (section: string, names: readonly string[]): readonly string[] => {
  const rows = rowsOf(section);
  return names.filter((name) => !rows.some((row) => row.includes(`\`${name}\``)));
};
const fieldNames = (Message: new () => object): readonly string[] => fieldsOf(Message).map(({ name }) => name);

/** `npm run specs:check` checks that each row has a test. This checks that everything in the code has a row. */
describe('the rows of docs/wire-rows.md', () => {
  it.each<[section: string, names: readonly string[]]>([
    ['2.2 create-card-ref, request', fieldNames(CreateCardRefRequest)],
    ['2.2 create-card-ref, response', [...CREATE_CARD_REF_FIELDS, ...CREATE_CARD_REF_V4_FIELDS]],
    ['2.3', [...fieldNames(GetCardInfoRequest), ...GET_CARD_INFO_FIELDS]],
    ['2.4 Recurrent payment, request', fieldNames(MakeRebillSaleRequest)],
    ['2.5 Order status, request', fieldNames(OrderStatusRequest)],
    ['1 Paths', [...GROUP_A_PATHS.keys()]],
    ['6', CALLBACK_MEMBERS],
    ['10 Initial payments, sale', fieldNames(SaleRequest)],
    ['10 Initial payments, account', fieldNames(AccountVerificationRequest)],
    ['10 Follow-ups', [CaptureRequest, ReturnRequest, VoidRequest].flatMap(fieldNames)],
  ])('section %s contains every field, member and path', (section, names) => {
    expect(withoutRow(section, names)).toStrictEqual([]);
  });

  it('name the fields of a status answer and no others', () => {
    const rows = ['2.5 Order status, response', '2 Values', '2 Fields'].flatMap(rowsOf);
    const named = rows.flatMap((row) => [...row.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
    expect(new Set(named)).toStrictEqual(new Set<string>(ORDER_STATUS_FIELDS));
  });

  it('every field of a Group A message has a row in some section', () => {
    const fields = new Set(GROUP_A_KEYS.flatMap((key) => fieldNames(GROUP_A_OPERATIONS[key].message)));
    expect(withoutRow('', [...fields])).toStrictEqual([]);
  });

  it('section 4 contains every error code', () => {
    const rows = rowsOf('4 Errors: codes');
    const named = [...Object.entries(REFUSALS), ...Object.entries(RESULT_CODES)].map(([name, { code }]) => `${code} (${name})`);
    expect(named.filter((name) => !rows.some((row) => row.includes(name)))).toStrictEqual([]);
  });
});
