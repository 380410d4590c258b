import { parseStoreUrl, storeAddress } from './environment';

describe('storeAddress', () => {
  it.each([
    ['esdb://orchestrator:pa55@event-log-1:2113,event-log-2:2113?tlsCAFile=/trust/ca.crt', 'esdb://event-log-1:2113,event-log-2:2113'],
    ['esdb+discover://user:p%40ss@cluster.example:2113?x=a@b', 'esdb+discover://cluster.example:2113'],
    ['postgres://card_vault:pa55@db.example:5432/card_vault?password=pa55', 'postgres://db.example:5432'],
    ['postgresql://db.example/card_vault', 'postgresql://db.example'],
    ['/data/events.sqlite', '/data/events.sqlite'],
  ])('omits user, password and options: %s', (text, address) => {
    const at = parseStoreUrl(text);
    if (at === undefined) throw new Error('not a store');
    expect(storeAddress(at)).toBe(address);
  });
});
