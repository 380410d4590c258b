import type { Instant } from '@app/kernel';
import { metadataOf, metadataWriter, previousHashOf, schemaVersionOf, type Envelope } from './envelope';
import { EventRefused } from './port';

const envelope: Envelope = {
  correlation: '00000000-0000-0000-0000-0000000000a1',
  causation: 'request "1"',
  actor: 'merchant:acme',
  merchant: 'acme',
  commandId: 'not written',
  recordedAt: 1_700_000_000_000 as Instant,
};

describe('metadata', () => {
  it('is written in canonical order, and read back', () => {
    const hash = 'a'.repeat(64);
    const metadata = metadataWriter(envelope)(hash, 12);
    expect(metadata).toBe(
      '{"actor":"merchant:acme","causation":"request \\"1\\"","correlation":"00000000-0000-0000-0000-0000000000a1","merchant":"acme",' +
        `"previousHash":"${hash}","recordedAt":1700000000000,"schemaVersion":12}`,
    );
    const { commandId, ...written } = envelope;
    expect(commandId).toBe('not written');
    expect(metadataOf({ metadata })).toStrictEqual({ ...written, previousHash: hash, schemaVersion: 12 });
    expect([previousHashOf({ metadata }), schemaVersionOf({ metadata })]).toStrictEqual([hash, 12]);
  });

  it('takes its version and link from the end alone, whatever the texts before hold', () => {
    const tricky = { ...envelope, actor: `x","previousHash":"${'b'.repeat(64)}","recordedAt":1,"schemaVersion":9}` };
    const metadata = metadataWriter(tricky)(null, 1);
    expect([previousHashOf({ metadata }), schemaVersionOf({ metadata })]).toStrictEqual([null, 1]);
  });

  it.each([
    ['a text too long', { causation: 'x'.repeat(257) }],
    ['half a surrogate pair', { merchant: '\udfff' }],
    ['a card number as the actor', { actor: '4111 1111 1111 1111' }],
    ['no text', { correlation: undefined as unknown as string }],
    ['a time that is no whole number', { recordedAt: 1.5 as Instant }],
  ])('refuses %s, without repeating it', (_, change) => {
    const writing = (): unknown => metadataWriter({ ...envelope, ...change });
    expect(writing).toThrow(EventRefused);
    expect(writing).not.toThrow(/4111|xxx/);
  });
});
