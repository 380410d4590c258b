import { chmodSync, copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Secret, type Card, type CardHandle, type CardUid, type MerchantLogin, type OrderId, type Random, type Sealed } from '@app/kernel';
import { VirtualClock } from '@app/testing';
import { sealCard } from './envelope/card-blob';
import { blindIndex, KeyedDigests } from './envelope/digests';
import { EnvelopeCardVault } from './envelope/envelope-card-vault';
import { Ivs } from './keys/sealed-box';
import { wrapOrderKeys, orderKeyId, PlainOrderKey, WRAPPED_ORDER_KEY_BYTES } from './keys/order-keys';
import { RingSealer } from './envelope/ring-sealer';
import { knownAnswers, primaryKek, type KeyRing } from './keys/key-ring';
import { createKeyRing, loadKeyRing } from './keys/key-ring-file';
import type { OrderKeyId } from './port';
import { instant } from './testing/keys';
import { MemoryVault } from './testing/memory-vault';
import { MemoryVaultStore } from './testing/memory-vault-store';

/*
 * Stored bytes of every release, under known test keys. Never change or delete a file in `golden`.
 * For a new version of a format, write a new file with `WRITE_GOLDEN=card-vault` and keep a reading test for the previous one.
 */
const GOLDEN = join(__dirname, 'golden');
const golden = <Content>(name: string, today?: () => Content): Content => {
  const path = join(GOLDEN, `${name}.json`);
  if (today !== undefined && process.env['WRITE_GOLDEN'] === 'card-vault' && !existsSync(path)) {
    writeFileSync(path, `${JSON.stringify(today(), null, 2)}\n`);
  }
  return JSON.parse(readFileSync(path, 'utf8')) as Content;
};

const folder = mkdtempSync(join(tmpdir(), 'golden-vault-'));
afterAll(() => rmSync(folder, { recursive: true }));
/** A checkout gives files a mode that the loader refuses. */
const loadGoldenRing = (name: string): KeyRing => {
  const path = join(folder, `${name}.json`);
  copyFileSync(join(GOLDEN, `${name}.json`), path);
  chmodSync(path, 0o600);
  return loadKeyRing(path);
};

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'base64'));
const counting = (): Random => {
  let next = 0;
  return { bytes: (length) => Uint8Array.from({ length }, () => next++ & 0xff), fraction: () => 0.5 };
};

const ring = loadGoldenRing('key-ring.v1');
const merchant = 'acme' as MerchantLogin;
const handle = 'AAECAwQFBgcICQoLDA0ODw' as CardHandle;
const card: Card = { number: '4444333322221111', expiryMonth: 7, expiryYear: 2031, holder: 'JÜRGEN SMITH' };
const receiving: Card = { number: '4444333322221111', expiryMonth: 0, expiryYear: 0, holder: '' };
const FIELD = 'email';
const PLAINTEXT = 'jürgen@example.com';
const BLOCK = Buffer.from('not a secret');
const ORDER_KEY = Buffer.from('not a secret, a test key: order1');
const POSITION = 258;

const sealedCard = (what: Card) => (): object => ({
  merchant,
  handle,
  blob: base64(sealCard(ring, counting(), merchant, handle, what)),
});
const orderKey = (): PlainOrderKey => new PlainOrderKey(orderKeyId(BLOCK, POSITION), Uint8Array.from(ORDER_KEY), new Ivs(counting()));
const wrappedOrderKey = (): object => {
  const keys = Buffer.alloc((POSITION + 1) * ORDER_KEY.length, ORDER_KEY);
  const { id, wrapped } = [...wrapOrderKeys({ id: BLOCK, keys }, ring.primaryKekId, primaryKek(ring))][POSITION] ?? {};
  return { id, kekId: ring.primaryKekId, wrapped: base64(wrapped ?? Buffer.alloc(0)) };
};
const digests = (): object => {
  const service = new KeyedDigests(ring);
  return {
    contentDigest: service.contentDigest(['sale', '1050', 'größe']),
    sourceCard: service.cardRefId(merchant, 'order-1' as OrderId, 'source'),
    destinationCard: service.cardRefId(merchant, 'order-1' as OrderId, 'destination'),
    onceKey: service.onceKey('nonce', [merchant, 'n-1']),
    keyStream: base64(service.keyStream('orders.payment', 40)),
  };
};

/** Output of the current code, byte for byte. Order keys and new rings are random and compared by shape below. */
const WRITTEN: Readonly<Record<string, () => unknown>> = {
  'card.v1': sealedCard(card),
  'receiving-card.v1': sealedCard(receiving),
  'sealed-text.v1': () => ({ merchant, field: FIELD, sealed: orderKey().seal(merchant, FIELD, PLAINTEXT) }),
  'ring-text.r1': () => ({ merchant, field: FIELD, sealed: new RingSealer(ring, counting()).seal(merchant, FIELD, PLAINTEXT) }),
  'blind-index.v1': () => ({
    merchant,
    indexes: ring.indexKeys.map(({ id, key }) => ({ keyId: id, index: base64(blindIndex(key, merchant, card.number)) })),
  }),
  'known-answers.v1': () => knownAnswers(ring).map(({ name, answer }) => ({ name, answer: base64(answer) })),
  'service-digests.v1': digests,
};

interface GoldenCard {
  readonly merchant: MerchantLogin;
  readonly handle: CardHandle;
  readonly blob: string;
}
interface GoldenText {
  readonly merchant: MerchantLogin;
  readonly field: string;
  readonly sealed: Sealed;
}
interface GoldenOrderKey {
  readonly id: OrderKeyId;
  readonly kekId: number;
  readonly wrapped: string;
}
interface GoldenIndexes {
  readonly merchant: MerchantLogin;
  readonly indexes: readonly { readonly keyId: number; readonly index: string }[];
}
type GoldenAnswers = readonly { readonly name: string; readonly answer: string }[];

const openVault = async (disk: MemoryVault): Promise<EnvelopeCardVault> => {
  const store = new MemoryVaultStore({ vault: disk, keyRing: ring });
  return EnvelopeCardVault.open({ store, keyRing: ring, clock: new VirtualClock(), random: counting(), orderKeysAhead: 1 });
};
const storedCard = (name: string): { readonly disk: MemoryVault; readonly stored: GoldenCard } => {
  const disk = new MemoryVault();
  const stored = golden<GoldenCard>(name);
  disk.cards.set(stored.handle, { merchant: stored.merchant, owner: 'payment-1', createdAt: instant(0), blob: bytesOf(stored.blob) });
  return { disk, stored };
};

describe('golden files of the card vault', () => {
  const orderKeyFile = golden('order-key.v1', wrappedOrderKey) as GoldenOrderKey;

  it.each(Object.entries(WRITTEN))('%s equals the output of the current code', (name, today) => {
    expect(today()).toStrictEqual(golden(name, today));
  });

  it('each have a test here', () => {
    const tested = [...Object.keys(WRITTEN), 'order-key.v1', 'key-ring.v1'].map((name) => `${name}.json`);
    expect(readdirSync(GOLDEN).sort()).toStrictEqual(tested.sort());
  });

  it('of a key ring load every key by its id and the retired names', () => {
    const testKey = (name: string): string => base64(Buffer.from(`not a secret, a test key: ${name}`));
    const keyText = (key: KeyRing['serviceKey']): string => base64(key.export());
    expect(ring.primaryKekId).toBe(2);
    expect([...ring.keks].map(([id, key]) => [id, keyText(key)])).toStrictEqual([
      [1, testKey('kek 01')],
      [2, testKey('kek 02')],
    ]);
    expect(ring.indexKeys.map(({ id, key }) => [id, keyText(key)])).toStrictEqual([
      [2, testKey('idx 02')],
      [1, testKey('idx 01')],
    ]);
    expect(keyText(ring.serviceKey)).toBe(testKey('svc 01'));
    expect([...ring.retired]).toStrictEqual(['kek:7', 'index:9']);
  });

  it('of a key ring have the version and members of a new ring', () => {
    const path = join(folder, 'today.json');
    createKeyRing(path);
    const shapeOf = (content: object): object => ({
      ...content,
      primaryKek: 'an id',
      keks: 'keys',
      indexKeys: 'keys',
      serviceKey: 'a key',
      retired: 'names',
      knownAnswer: 'a box',
    });
    const today = JSON.parse(readFileSync(path, 'utf8')) as Record<'keks' | 'knownAnswer', string>;
    const stored = golden<typeof today>('key-ring.v1');
    expect(Object.entries(shapeOf(today))).toStrictEqual(Object.entries(shapeOf(stored)));
    expect(Object.keys(today.keks[0] ?? {})).toStrictEqual(Object.keys(stored.keks[0] ?? {}));
    expect(today.knownAnswer).toHaveLength(stored.knownAnswer.length);
  });

  it('of a card open to the card', async () => {
    const { disk, stored } = storedCard('card.v1');
    const vault = await openVault(disk);
    expect((await vault.open(stored.merchant, stored.handle)).reveal()).toStrictEqual(card);
    await vault.close();
  });

  it('of a receiving card open to its number and not as a chargeable card', async () => {
    const { disk, stored } = storedCard('receiving-card.v1');
    const vault = await openVault(disk);
    expect((await vault.openReceiving(stored.merchant, stored.handle)).reveal()).toStrictEqual({ number: receiving.number });
    await expect(vault.open(stored.merchant, stored.handle)).rejects.toThrow(/only receives$/);
    await vault.close();
  });

  it('of an order key unwrap and open the text sealed with it', async () => {
    const disk = new MemoryVault();
    disk.orderKeys.set(orderKeyFile.id, { kekId: orderKeyFile.kekId, wrapped: bytesOf(orderKeyFile.wrapped) });
    const vault = await openVault(disk);
    const text = golden<GoldenText>('sealed-text.v1');
    await expect(vault.unseal(text.merchant, text.field, text.sealed)).resolves.toBe(PLAINTEXT);
    await vault.close();
  });

  it('of an order key have the same id, KEK and length as a new one', () => {
    const today = wrappedOrderKey() as GoldenOrderKey;
    expect({ ...today, wrapped: bytesOf(today.wrapped).length }).toStrictEqual({ ...orderKeyFile, wrapped: WRAPPED_ORDER_KEY_BYTES });
    expect(bytesOf(orderKeyFile.wrapped)).toHaveLength(WRAPPED_ORDER_KEY_BYTES);
  });

  it('of a text sealed under the key ring open to the text', () => {
    const text = golden<GoldenText>('ring-text.r1');
    expect(new RingSealer(ring, counting()).unseal(text.merchant, text.field, text.sealed)).toBe(PLAINTEXT);
  });

  it.each([2, 1])('of a blind index under index key %i find the existing uid', async (keyId) => {
    const disk = new MemoryVault();
    const { merchant: owner, indexes } = golden<GoldenIndexes>('blind-index.v1');
    const uid = 'uaaaaaaaaaaaaaaaaaaa' as CardUid;
    const index = indexes.find((one) => one.keyId === keyId)?.index ?? '';
    disk.uidsOf(owner).byIndex.set(Buffer.from(index, 'base64').toString('hex'), uid);
    const vault = await openVault(disk);
    expect((await vault.keep(owner, new Secret(card), 'payment-1')).uid).toBe(uid);
    await vault.close();
  });

  it('of known answers let the key ring open a vault that stores them', async () => {
    const disk = new MemoryVault();
    for (const { name, answer } of golden<GoldenAnswers>('known-answers.v1')) disk.knownAnswers.set(name, bytesOf(answer));
    await expect(openVault(disk).then((vault) => vault.close())).resolves.toBeUndefined();
    expect([...disk.knownAnswers.keys()]).toStrictEqual(['kek:1', 'kek:2', 'index:2', 'index:1', 'service']);
  });
});
