import { parseFormAnswer, writeFormAnswer } from '../forms/answer-codec';
import { inWireOrder, ASYNC_FIELDS, type AsyncResponse, REFUSAL_FIELDS } from './answer';
import { CREATE_CARD_REF_V4_FIELDS, CREATE_CARD_REF_FIELDS } from './create-card-ref';
import { GET_CARD_INFO_FIELDS } from './get-card-info';
import { ORDER_STATUS_FIELDS } from './order-status.response';

const words = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');
const sorted = (names: readonly string[]): string[] => [...names].sort();

describe('response fields', () => {
  it.each<[title: string, fields: readonly string[], table: string]>([
    [
      'interface 2.2: create-card-ref v2 response',
      CREATE_CARD_REF_FIELDS,
      'type status card-ref-id unq-card-ref-id serial-number error-message error-code end-point-id',
    ],
    [
      'interface 2.2: create-card-ref v4 response, with the names of the table and of the example body',
      CREATE_CARD_REF_V4_FIELDS,
      `type status card-ref-id card_recurring_payment_id destination_card_recurring_payment_id recurring-payment-id dst-card-ref-id serial-number
       error-message error-code end-point-id`,
    ],
    [
      'interface 2.3: get-card-info response',
      GET_CARD_INFO_FIELDS,
      'type card-printed-name expire-year expire-month bin last-four-digits serial-number error-message error-code',
    ],
    [
      'interface 2.4: recurrent payment response, with the end-point-id of protocol decisions, section 10 [W200]',
      ASYNC_FIELDS,
      'type paynet-order-id merchant-order-id serial-number error-message error-code end-point-id',
    ],
  ])('%s', (_title, fields, table) => {
    expect(sorted(fields)).toStrictEqual(sorted(words(table)));
  });

  it('follow the order of protocol decisions, section 3 [W223]', () => {
    const order = words('type serial-number merchant-order-id paynet-order-id status');
    for (const fields of [
      CREATE_CARD_REF_FIELDS,
      CREATE_CARD_REF_V4_FIELDS,
      GET_CARD_INFO_FIELDS,
      ASYNC_FIELDS,
      ORDER_STATUS_FIELDS,
      REFUSAL_FIELDS,
    ]) {
      const leading = order.filter((name) => fields.some((field) => field === name));
      expect(fields.slice(0, leading.length)).toStrictEqual(leading);
      const place = fields.findIndex((field) => field === 'end-point-id');
      expect([-1, fields.length - 1]).toContain(place);
    }
  });

  it('are omitted if their value is empty [W503]', () => {
    const response = { type: 'status-response', status: 'approved', 'approval-code': '', merchantdata: '' };
    expect(inWireOrder(ORDER_STATUS_FIELDS, response).map(([name]) => name)).toStrictEqual(['type', 'status']);
  });

  it('are written if they have a value, without any undeclared field', () => {
    const response: AsyncResponse = {
      'paynet-order-id': 'rabcdefghijklmnr',
      'end-point-id': undefined,
      'merchant-order-id': 'inv-1',
      type: 'async-response',
      'serial-number': 's-1',
    };
    const body = writeFormAnswer(inWireOrder(ASYNC_FIELDS, { ...response, ...{ cvv2: '123' } }));
    expect(body).toBe('type=async-response\n&serial-number=s-1\n&merchant-order-id=inv-1\n&paynet-order-id=rabcdefghijklmnr\n');
    expect(parseFormAnswer(body).get('paynet-order-id')).toBe('rabcdefghijklmnr');
  });
});
