import 'reflect-metadata';
import { RevealRequest } from './audit.controller';
import { ListOrdersRequest, SearchOrdersRequest } from './list-orders.request';
import { readQuestion } from './question.pipe';

const list = (text: string): Promise<ListOrdersRequest> => readQuestion(ListOrdersRequest, { url: `/audit/orders?${text}` });
/** Passes the Luhn check and begins like a card number, as one in ten of a gate's reference numbers may. */
const REFERENCE = '632910981950';

describe('the validation of an operator query', () => {
  it.each(['rrn', 'reference', 'clientOrderId', 'invoiceId', 'approvalCode', 'receipt', 'order', 'correlation'])(
    'accepts an identifier as %s that passes the card number check by chance',
    async (name) => expect(await list(`${name}=${REFERENCE}`)).toMatchObject({ [name]: REFERENCE }),
  );

  it.each(['rrn=4111%201111%201111%201111', 'clientOrderId=card%204111111111111111'])(
    'rejects a card number among other words or in digit groups (%s)',
    (text) => expect(list(text)).rejects.toThrow(/must not contain what looks like a card number/),
  );

  it('rejects a card number in a text field', () =>
    expect(readQuestion(SearchOrdersRequest, { url: '/?email=4111111111111111' })).rejects.toThrow(/email must not contain/));

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('rejects the name of an inherited object property (%s)', (name) =>
    expect(list(`${name}=1`)).rejects.toThrow(`property ${name} should not exist`),
  );

  it.each(['   ', '…', '\u200b\u200b', '--'])('rejects a reason without a word (%j)', (reason) =>
    expect(readQuestion(RevealRequest, { url: `/?reason=${encodeURIComponent(reason)}` })).rejects.toThrow(
      'reason must be a text of 1 to 1000 characters, with a word in it',
    ),
  );
});
