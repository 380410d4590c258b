import { createHmac, generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import fc from 'fast-check';
import { goldenSpec } from '@app/event-store/testing';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import type { Configuration } from '@app/configuration';
import { addMs, Secret, systemIds } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import {
  canonicalText,
  keyIdOf,
  redactedConfiguration,
  configurationInForce,
  configurationRecordCodec,
  configurationStream,
  recordConfiguration,
} from './configuration-record';

goldenSpec(configurationRecordCodec, join(__dirname, 'golden/configuration'));

const digests = {
  onceKey: (kind: string, parts: readonly string[]) =>
    createHmac('sha256', 'key')
      .update(JSON.stringify([kind, ...parts]))
      .digest('hex'),
};

const world = () => {
  const clock = new VirtualClock();
  const store = new MemoryEventStore(clock);
  const record = (copy: string, keys: readonly string[] = ['kek:1'], bootId = 'boot-1') =>
    recordConfiguration({ store, clock, ids: systemIds, bootId }, copy, keys);
  const stored = async () => {
    const events = [];
    for await (const event of store.read(configurationStream())) events.push(configurationRecordCodec.decode(event).data);
    return events;
  };
  return { clock, store, record, stored };
};

describe('recordConfiguration', () => {
  it('records a configuration once, again after a change, and again when the change is reverted', async () => {
    const { record, stored } = world();
    expect(await record('{"a":1}')).toBe('recorded');
    expect(await record('{"a":1}', ['kek:1'], 'boot-2')).toBe('known');
    expect(await record('{"a":2}')).toBe('recorded');
    expect(await record('{"a":1}')).toBe('recorded');
    expect(await record('{"a":1}', ['kek:1', 'kek:2'])).toBe('recorded');
    const events = await stored();
    expect(events.map(({ copy, keys }) => [copy.join(''), keys.length])).toStrictEqual([
      ['{"a":1}', 1],
      ['{"a":2}', 1],
      ['{"a":1}', 1],
      ['{"a":1}', 2],
    ]);
    expect(events[0]?.digest).toBe(events[2]?.digest);
  });

  it('records once if several processes start together', async () => {
    const { record, stored } = world();
    const results = await Promise.all(['one', 'two', 'three'].map((bootId) => record('{"a":1}', [], bootId)));
    expect([...results].sort()).toStrictEqual(['known', 'known', 'recorded']);
    expect(await stored()).toHaveLength(1);
  });

  it('applies each configuration from its recorded time (configurationInForce), and none before the first', async () => {
    const { clock, store, record } = world();
    const start = clock.now();
    await clock.advance(1_000);
    await record('{"a":1}', [], 'first');
    await clock.advance(1_000);
    await record('{"a":2}', [], 'second');
    await expect(configurationInForce(store, addMs(start, 999))).resolves.toBeUndefined();
    for (const at of [1_000, 1_999])
      await expect(configurationInForce(store, addMs(start, at))).resolves.toMatchObject({
        bootId: 'first',
        data: { copy: ['{"a":1}'] },
        replacedAt: addMs(start, 2_000),
      });
    await expect(configurationInForce(store, addMs(start, 5_000))).resolves.toMatchObject({ bootId: 'second', replacedAt: undefined });
  });

  it('records only the digest if the copy is too large or looks like a card number', async () => {
    const { record, stored } = world();
    await record(`{"a":"${'"'.repeat(500_000)}"}`);
    await record('{"a":"4444 3333 2222 1111"}');
    await record(`{"a":"${'é'.repeat(300_000)}"}`);
    const [large, card, long] = await stored();
    expect(large).toMatchObject({ copy: [], omitted: 'too-large' });
    expect(card).toMatchObject({ copy: [], omitted: 'looks-like-card-number' });
    expect(long?.copy).toHaveLength(2);
    expect(long?.copy.join('')).toBe(`{"a":"${'é'.repeat(300_000)}"}`);
  });

  it.each([
    ['ports side by side', '{"ports":[4444,3333,2222,1111]}'],
    ['an address of twelve digits', '{"blockedIps":["222.240.151.100","😀","222.240.151.100/32"]}'],
  ])('records the whole copy with %s, and reads it back', async (_, copy) => {
    const { record, stored } = world();
    await record(copy);
    const [event] = await stored();
    expect([event?.omitted, event?.copy.join('')]).toStrictEqual([undefined, copy]);
  });

  it.each(['{"4444333322221111":1}', '{"a":[{"b":4444333322221111}]}', '{"a":"x 4444-3333-2222-1111"}'])(
    'records only the digest if a name or value looks like a card number: %s',
    async (copy) => {
      const { record, stored } = world();
      await record(copy);
      expect(await stored()).toMatchObject([{ copy: [], omitted: 'looks-like-card-number' }]);
    },
  );
});

describe('redactedConfiguration', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const configuration = {
    publicBaseUrl: 'https://user:canary-url@pay.example.com',
    egress: { ports: new Set([80]) },
    operators: [{ name: 'jane', role: 'admin', tokenSha256: 'canary-token' }],
    signIn: { clientId: 'orchestrator', clientSecret: new Secret('canary-sign-in') },
    accounts: {
      merchants: [
        {
          login: 'acme',
          controlKey: new Secret('canary-control'),
          formerControlKey: { key: new Secret('canary-former'), notAfter: '2027-01-31T12:00:00.000Z' },
          oauthPublicKey: publicKey,
          endpoints: [{ maxAmountMinor: 10n }],
        },
      ],
      gates: [{ alias: 'sim-a', apiKey: new Secret('canary-gate'), signing: privateKey, other: new Date(0) }],
      merchant: () => undefined,
    },
    warnings: [{ path: 'canary-warning', problem: '' }],
  } as unknown as Configuration;
  const copy = redactedConfiguration(configuration, digests);

  it('contains the settings, but only an id of each key, password and token', () => {
    expect(copy).not.toContain('canary');
    const shown = JSON.parse(copy) as { readonly accounts: { readonly merchants: readonly object[]; readonly gates: readonly object[] } };
    const keyId = expect.stringMatching(/^[a-p]{16}$/) as string;
    expect(shown).toStrictEqual({
      publicBaseUrl: 'https://[redacted]@pay.example.com',
      egress: { ports: [80] },
      operators: [{ name: 'jane', role: 'admin', tokenSha256: { keyId } }],
      signIn: { clientId: 'orchestrator', clientSecret: { keyId } },
      accounts: {
        merchants: [
          {
            login: 'acme',
            controlKey: { keyId: keyIdOf(new Secret('canary-control'), digests) },
            formerControlKey: { key: { keyId: keyIdOf(new Secret('canary-former'), digests) }, notAfter: '2027-01-31T12:00:00.000Z' },
            oauthPublicKey: { keyId },
            endpoints: [{ maxAmountMinor: '10' }],
          },
        ],
        gates: [{ alias: 'sim-a', apiKey: { keyId }, signing: { keyId: '[key]' }, other: '[other]' }],
      },
    });
  });

  it('has the same id for the same secret, and different ids for different secrets', () => {
    const of = (key: string): string =>
      redactedConfiguration({ accounts: { merchants: [{ controlKey: new Secret(key) }] } } as unknown as Configuration, digests);
    expect(of('one')).toBe(of('one'));
    expect(of('one')).not.toBe(of('two'));
  });

  it('has ids that cannot be card numbers, for any digest of the secret', () => {
    const onceKey = () => '4444333322221111'.padEnd(64, '0');
    const shown = redactedConfiguration({ key: new Secret('s') } as unknown as Configuration, { onceKey });
    expect(shown).toBe('{"key":{"keyId":"eeeeddddccccbbbb"}}');
  });

  it('is RFC 8785 text, independent of member order and readable as JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = canonicalText(value as never);
        expect(JSON.parse(text)).toStrictEqual(JSON.parse(JSON.stringify(value)));
        const turned = (one: unknown): unknown =>
          Array.isArray(one)
            ? one.map(turned)
            : one !== null && typeof one === 'object'
              ? Object.fromEntries(
                  Object.entries(one)
                    .reverse()
                    .map(([name, member]) => [name, turned(member)]),
                )
              : one;
        expect(canonicalText(turned(value) as never)).toBe(text);
      }),
    );
    expect(canonicalText({ '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 })).toBe(
      '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}',
    );
  });
});
