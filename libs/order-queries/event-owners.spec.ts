import type { StoredEvent, StreamName } from '@app/event-store';
import { EVENT_CODECS } from './event-codecs';
import { EVENT_OWNERS, merchantOf, orderKeysIn, ownerOf, rulesNamedBy } from './event-owners';

const KEY = 'AAAAAAAAAAAAAAAAAAAA';
const event = (stream: string, type: string, data: object, metadata: object = { merchant: 'acme' }): StoredEvent =>
  ({ stream, type, data: JSON.stringify(data), metadata: JSON.stringify(metadata) }) as unknown as StoredEvent;

describe('whose an event is', () => {
  it('is answered for every category of the log, and for no other', () => {
    expect(Object.keys(EVENT_OWNERS).sort()).toStrictEqual(EVENT_CODECS.map(({ category }) => category).sort());
  });

  it('is unknown of a category of a later release, and of a name that every object has', () => {
    expect(ownerOf('refund-1' as StreamName)).toBeUndefined();
    expect(ownerOf('constructor-1' as StreamName)).toBeUndefined();
    expect(ownerOf('payment-1' as StreamName)).toBe('merchant');
  });

  it('is the merchant that its metadata name', () => {
    expect(merchantOf(event('payment-1', 'A', {}))).toBe('acme');
    expect(merchantOf(event('payment-1', 'A', {}, { merchant: '' }))).toBeUndefined();
    expect(merchantOf(event('payment-1', 'A', {}, { merchant: 7 }))).toBeUndefined();
    expect(merchantOf({ metadata: 'null' })).toBeUndefined();
    expect(merchantOf({ metadata: 'no JSON' })).toBeUndefined();
  });
});

it('the rules of an order are those that its plan names', () => {
  const accepted = (plan: object) => rulesNamedBy(event('payment-1', 'OrderAccepted', { plan }));
  expect(accepted({ screening: 's', route: { rulesVersion: 'r' } })).toStrictEqual(['screening-s', 'routing-r']);
  expect(accepted({ route: { rule: 'default' } })).toStrictEqual([]);
  expect(rulesNamedBy(event('payment-1', 'OrderDeclined', { plan: { screening: 's' } }))).toStrictEqual([]);
});

describe('the keys of an event’s texts', () => {
  it('are found by the schema alone, and not in what a merchant chose', () => {
    const sealed = `v1.${KEY}.AAAA`;
    const accepted = { customer: sealed, details: `v1.${KEY.replace('A', 'B')}.AAAA`, clientOrderId: `v1.${KEY.replace('A', 'C')}.AAAA` };
    expect(orderKeysIn(event('payment-1', 'OrderAccepted', accepted))).toStrictEqual([KEY, KEY.replace('A', 'B')]);
    expect(orderKeysIn(event('payment-1', 'AttemptSettled', { reason: sealed }))).toStrictEqual([KEY]);
    expect(orderKeysIn(event('payment-1', 'OrderApproved', { customer: sealed }))).toStrictEqual([]);
  });

  it('are all found, for no sealed field of a merchant’s category lies below another', () => {
    const nested = EVENT_CODECS.filter(({ category }) => EVENT_OWNERS[category] !== 'installation')
      .flatMap((codec) => codec.describe())
      .flatMap(({ category, type, fields }) =>
        fields.filter(({ kind, path }) => kind === 'sealed' && !/^\w+$/.test(path)).map(({ path }) => `${category} ${type} ${path}`),
      );
    expect(nested).toStrictEqual([]);
  });
});
