import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StreamName } from '@app/event-store';
import { orderPartitionKey } from './partition-key';

const GOLDEN = join(__dirname, '../../callbacks/golden');
const ORDER = 'payment-a' as StreamName;
const DELIVERY = 'delivery-b' as StreamName;

describe('orderPartitionKey', () => {
  it.each(readdirSync(GOLDEN))('is the order stream of a delivery, for every recorded event shape: %s', (file) => {
    const { data } = JSON.parse(readFileSync(join(GOLDEN, file), 'utf8')) as { readonly data: { readonly orderStream: string } };
    expect(orderPartitionKey({ stream: DELIVERY, data: JSON.stringify(data) })).toBe(data.orderStream);
    expect(data.orderStream).toMatch(/^[a-zA-Z]+-/);
  });

  it('is the stream of the event itself for any other event, regardless of its data', () => {
    expect(orderPartitionKey({ stream: ORDER, data: JSON.stringify({ orderStream: 'payment-c' }) })).toBe(ORDER);
    expect(orderPartitionKey({ stream: ORDER, data: 'no JSON' })).toBe(ORDER);
  });

  it.each(['', 'no JSON', '{}', '{"orderStream":7}', 'null', '[]'])('is undefined for a delivery with the data %j', (data) => {
    expect(orderPartitionKey({ stream: DELIVERY, data })).toBeUndefined();
  });
});
