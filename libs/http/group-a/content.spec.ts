import { isDeepStrictEqual } from 'node:util';
import { fieldsOf, GROUP_A_KEYS, GROUP_A_OPERATIONS, SaleRequest } from '@app/gateway-protocol';
import type { EntryPoint } from '@app/configuration';
import { contentParts } from './content';

const endpoint = { kind: 'endpoint', id: '1001' } as EntryPoint;
const group = { kind: 'group', id: '1001' } as EntryPoint;
const message = (fields: object): SaleRequest => Object.assign(Object.create(SaleRequest.prototype as object) as SaleRequest, fields);
const ORDER = { client_orderid: 'o-1', order_desc: 'shoes', amount: '10.5', email: 'john@example.com', control: 'a', cvv2: '123' };
const parts = contentParts('sale', endpoint, message(ORDER), 1_050n);

describe('the content of an order (protocol decisions, D4.7)', () => {
  it('ignores the notation of the amount, the control, the CVV and the order of fields [W276]', () => {
    const again = { cvv2: '999', control: 'b', email: ORDER.email, amount: '10.50', order_desc: ORDER.order_desc, client_orderid: 'o-1' };
    expect(contentParts('sale', endpoint, message(again), 1_050n)).toEqual(parts);
    const { cvv2, control, ...bare } = ORDER;
    expect([cvv2, control]).toEqual(['123', 'a']);
    expect(contentParts('sale', endpoint, message(bare), 1_050n)).toEqual(parts);
    expect(parts.join(' ')).not.toMatch(/123|10\.5/);
  });

  it.each([
    ['operation', contentParts('preauth', endpoint, message(ORDER), 1_050n)],
    ['entry point', contentParts('sale', group, message(ORDER), 1_050n)],
    ['amount', contentParts('sale', endpoint, message(ORDER), 1_051n)],
    ['field', contentParts('sale', endpoint, message({ ...ORDER, order_desc: 'boots' }), 1_050n)],
    ['additional field', contentParts('sale', endpoint, message({ ...ORDER, phone: '1' }), 1_050n)],
  ])('changes with another %s [W273]', (_part, other) => {
    expect(other).not.toEqual(parts);
  });

  it.each(GROUP_A_KEYS)('of %s changes with every field except control and CVV, and compares the amount in minor units', (key) => {
    const names = fieldsOf(GROUP_A_OPERATIONS[key].message).map(({ name }) => name);
    const all = Object.fromEntries(names.map((name) => [name, 'one']));
    const content = (changed: object) => contentParts(key, endpoint, message({ ...all, ...changed }), 1_050n);
    const isContent = (name: string): boolean => !['amount', 'control', 'cvv2'].includes(name);
    for (const value of ['other', undefined]) {
      const same = names.filter((name) => isDeepStrictEqual(content({ [name]: value }), content({})));
      expect(same).toStrictEqual(names.filter((name) => !isContent(name)));
    }
    expect(names.filter(isContent)).not.toStrictEqual([]);
  });
});
