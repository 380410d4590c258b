import * as fc from 'fast-check';
import { PerformTransferRequest, readDeviceMessage } from '@app/gateway-protocol';
import { performContent } from './perform.translation';

const TRANSFER = {
  consumer: { device: { serialNumber: 'SN-1' }, ipAddresses: ['192.0.2.1', '192.0.2.2'], email: 'kim@example.com' },
  session: { accessToken: 'a'.repeat(32), nonce: 'n'.repeat(32), signature: 'S'.repeat(40) },
  location: { lat: 1.5 },
  billing: { address: { city: 'Riga' }, phone: '371' },
  transaction: { currency: 'USD', amountCentis: 1_042 },
  sourceOfFunds: { reference: { clientCardId: 'c-1', securityCode: '123' } },
  destinationOfFunds: { card: { number: '5555555555554444' } },
};
const contentOf = (body: object, operation: 'sale' | 'transfer' = 'transfer', endpointId = '1004'): readonly string[] => {
  const read = readDeviceMessage(PerformTransferRequest, body);
  if ('refused' in read) throw new Error(read.refused.message);
  return performContent(operation, endpointId, read.ok);
};

describe('the content of a perform (protocol decisions, section 8)', () => {
  it('has the same parts as in every earlier release, since the log holds digests of them', () => {
    expect(contentOf(TRANSFER)).toStrictEqual([
      'transfer',
      '1004',
      ...['.billing.address.city', 'Riga', '.billing.phone', '371'],
      ...['.consumer.device.serialNumber', 'SN-1', '.consumer.email', 'kim@example.com'],
      ...['.consumer.ipAddresses.0', '192.0.2.1', '.consumer.ipAddresses.1', '192.0.2.2'],
      ...['.destinationOfFunds.card.number', '5555555555554444', '.location.lat', '1.5'],
      ...['.session.accessToken', 'a'.repeat(32), '.session.nonce', 'n'.repeat(32), '.session.signature', 'S'.repeat(40)],
      ...['.sourceOfFunds.reference.clientCardId', 'c-1', '.transaction.amountCentis', '1042', '.transaction.currency', 'USD'],
    ]);
  });

  it('differs for another operation and for another endpoint', () => {
    expect(contentOf(TRANSFER, 'sale')).not.toStrictEqual(contentOf(TRANSFER));
    expect(contentOf(TRANSFER, 'transfer', '1001')).not.toStrictEqual(contentOf(TRANSFER));
  });

  it('is the same with another security code or none, an unknown member, a member that is null [W401]', () => {
    const { reference } = TRANSFER.sourceOfFunds;
    for (const securityCode of ['321', undefined, null])
      expect(contentOf({ ...TRANSFER, sourceOfFunds: { reference: { ...reference, securityCode } } })).toStrictEqual(contentOf(TRANSFER));
    expect(contentOf({ ...TRANSFER, extra: 1, order: null })).toStrictEqual(contentOf(TRANSFER));
  });

  it('is the same for any order of the members', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(Object.keys(TRANSFER), { minLength: Object.keys(TRANSFER).length }), (names) => {
        const shuffled = Object.fromEntries(names.map((name) => [name, TRANSFER[name as keyof typeof TRANSFER]]));
        expect(performContent('transfer', '1004', shuffled)).toStrictEqual(performContent('transfer', '1004', TRANSFER));
      }),
    );
  });

  it('differs with each member but the security code, changed or absent', () => {
    const leaves = (value: unknown, path: readonly string[] = []): readonly (readonly string[])[] =>
      typeof value === 'object' && value !== null
        ? Object.entries(value).flatMap(([name, member]) => leaves(member, [...path, name]))
        : [path];
    const changedAt = ([name = '', ...rest]: readonly string[], of: object, to: unknown): object => {
      const member = (of as Record<string, unknown>)[name];
      return { ...of, [name]: rest.length === 0 ? to : changedAt(rest, member as object, to) };
    };
    const paths = leaves(TRANSFER);
    const content = (message: object) => JSON.stringify(performContent('transfer', '1004', message));
    for (const to of ['other', undefined]) {
      const same = paths.filter((path) => content(changedAt(path, TRANSFER, to)) === content(TRANSFER));
      expect(same).toStrictEqual([['sourceOfFunds', 'reference', 'securityCode']]);
    }
  });

  it('differs for the same texts in other members', () => {
    const { address } = TRANSFER.billing;
    const moved = [
      { ...TRANSFER, billing: { address, phone: '5' }, order: { purpose: '6' } },
      { ...TRANSFER, billing: { address, phone: '6' }, order: { purpose: '5' } },
      { ...TRANSFER, billing: { address, phone: '5' }, order: { siteUrl: '6' } },
    ];
    expect(new Set(moved.map((body) => JSON.stringify(contentOf(body)))).size).toBe(moved.length);
  });
});
