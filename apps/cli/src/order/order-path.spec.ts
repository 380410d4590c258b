import { CommandFailed } from '../command-failed';
import { orderPath } from './order-path';

describe('the path of an order at the operator port', () => {
  it.each([
    ['p0sample0order0r', '/audit/orders/p0sample0order0r'],
    ['inv 1/2?', '/audit/orders/inv%201%2F2%3F'],
    ['unknown-1', '/audit/orders/unknown-1'],
    ['...', '/audit/orders/...'],
  ])('of %s is %s', (order, path) => expect(orderPath(order)).toBe(path));

  it.each(['', '.', '..', 'unknown'])('of %j is none: the port would take it for another question', (order) => {
    expect(() => orderPath(order)).toThrow(CommandFailed);
    expect(() => orderPath(order)).toThrow('give its order id');
  });
});
