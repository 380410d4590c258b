import { generateKeyPairSync } from 'node:crypto';
import type { Request } from 'express';
import type { Instant, MerchantLogin } from '@app/kernel';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { StumblingStore } from '@app/event-store/testing';
import { Form, signedAuthorization, type OauthParameter } from '@app/gateway-protocol';
import type { Merchant } from '@app/configuration';
import { VirtualClock } from '@app/testing';
import { testDigests } from './testing/test-digests';
import { DecoyKeys } from '../request/decoy-keys';
import { OAuthVerifier } from './oauth-verifier';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const PATH = '/paynet/api/v4/status/1001';
const BASE = 'https://gateway.example';
const FIELDS: readonly OauthParameter[] = [
  ['client_orderid', ' inv-1 '],
  ['orderid', 'p0a1b2c3d4e5f6gr'],
];
const decoyKeys = new DecoyKeys({ merchants: [] });
const ACME = { login: 'acme' as MerchantLogin, oauthPublicKey: publicKey } as Merchant;

const setUp = () => {
  const clock = new VirtualClock();
  const store = new StumblingStore(new MemoryEventStore(clock));
  const verifier = () => new OAuthVerifier({ publicBaseUrl: BASE, store, decoyKeys, digests: testDigests, clock });
  let serial = 0;
  const header = (
    change: { nonce?: string; now?: Instant; consumerKey?: string; url?: string; parameters?: readonly OauthParameter[] } = {},
  ) => {
    const { url = BASE + PATH, parameters = FIELDS, nonce = 'n-1', now = clock.now(), consumerKey = 'acme' } = change;
    return signedAuthorization({ method: 'POST', url, parameters }, { consumerKey, privateKey, nonce, now });
  };
  const ask = (
    authorization: string | readonly string[] | undefined,
    {
      fields = FIELDS,
      merchant = ACME,
      url = PATH,
      at = verifier(),
    }: { fields?: readonly OauthParameter[]; merchant?: Merchant | null; url?: string; at?: OAuthVerifier } = {},
  ) => {
    const headersDistinct = typeof authorization === 'string' ? { authorization: [authorization] } : { authorization };
    const request = { method: 'POST', url, path: url.split('?')[0], headersDistinct } as unknown as Request;
    return at.isAuthentic(request, Form.of(fields), { id: '1001', merchant: merchant ?? undefined }, { serial: `serial-${++serial}` });
  };
  return { clock, store, verifier, header, ask };
};

describe('a v4 request (interface, section 5.2)', () => {
  it('is authentic if its signature covers all untrimmed values', async () => {
    const { ask, header } = setUp();
    await expect(ask(header())).resolves.toBe(true);
  });

  it('may repeat the signed login in the body only if it equals the consumer key [W183]', async () => {
    const { ask, header } = setUp();
    const fields = [...FIELDS, ['login', ' acme '] as const];
    await expect(ask(header({ parameters: fields }), { fields })).resolves.toBe(true);
    await expect(ask(header({ nonce: 'n-2' }), { fields })).resolves.toBe(false);
    const ofOther = [...FIELDS, ['login', 'other'] as const];
    await expect(ask(header({ nonce: 'n-3', parameters: ofOther }), { fields: ofOther })).resolves.toBe(false);
  });

  it('is not authentic if any signed part differs', async () => {
    const { ask, header, clock } = setUp();
    const other = { ...ACME, oauthPublicKey: generateKeyPairSync('rsa', { modulusLength: 2_048 }).publicKey };
    const { oauthPublicKey: _none, ...keyless } = ACME;
    const inBody = [...FIELDS, ['oauth_token', ''] as const];
    const refusals: readonly (readonly [string, Promise<boolean>])[] = [
      ['no header', ask(undefined)],
      ['two headers', ask([header(), header({ nonce: 'n-2' })])],
      ['another scheme', ask(`Bearer x`)],
      ['the consumer of another entry point', ask(header(), { merchant: { ...ACME, login: 'other' as MerchantLogin } })],
      ['an unknown entry point', ask(header(), { merchant: null })],
      ['another key', ask(header(), { merchant: other })],
      ['a merchant without key', ask(header(), { merchant: keyless })],
      ['another host than the public address', ask(header({ url: `https://evil.example${PATH}` }))],
      ['another path', ask(header({ url: `${BASE}/paynet/api/v4/status/1002` }))],
      ['another body', ask(header(), { fields: [['client_orderid', 'inv-1']] })],
      ['a query', ask(header(), { url: `${PATH}?a=1` })],
      ['an empty query', ask(header(), { url: `${PATH}?` })],
      ['an OAuth parameter in the body', ask(header({ parameters: inBody }), { fields: inBody })],
      ['a timestamp too old', ask(header({ now: (clock.now() - 301_000) as Instant }))],
      ['a timestamp in the future', ask(header({ now: (clock.now() + 301_000) as Instant }))],
    ];
    for (const [difference, answer] of refusals) expect([difference, await answer]).toStrictEqual([difference, false]);
    await expect(ask(header())).resolves.toBe(true);
  });
});

/** `REPLAYS=1000` makes a thousand (safety, B17). */
const REPLAYS = Number(process.env['REPLAYS'] ?? 100);

describe('an OAuth nonce (safety, B17)', () => {
  it(`is refused in ${REPLAYS} replays to the same process, another one and a restarted one [W304]`, async () => {
    const { ask, header, verifier, clock } = setUp();
    const [one, other] = [verifier(), verifier()];
    const text = header();
    await expect(ask(text, { at: one })).resolves.toBe(true);
    for (let replay = 0; replay < REPLAYS; replay++) {
      await clock.advance(1);
      const at = [one, other, verifier()][replay % 3];
      if (at === undefined) throw new Error('no process');
      await expect(ask(replay % 2 === 0 ? text : header(), { at })).resolves.toBe(false);
    }
  });

  it('is accepted once for a hundred simultaneous requests', async () => {
    const { ask, header } = setUp();
    const text = header();
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask(text)));
    expect(answers.filter((isAuthentic) => isAuthentic)).toHaveLength(1);
  });

  it('is accepted once per consumer', async () => {
    const { ask, header } = setUp();
    await expect(ask(header())).resolves.toBe(true);
    const other = { ...ACME, login: 'other' as MerchantLogin };
    await expect(ask(header({ consumerKey: 'other' }), { merchant: other })).resolves.toBe(true);
  });

  it("is accepted exactly once if the store's response was lost", async () => {
    const { ask, header, store } = setUp();
    store.stumble({ kind: 'stored-answer-lost' });
    await expect(ask(header())).resolves.toBe(true);
    await expect(ask(header())).resolves.toBe(false);
  });

  it('is not checked in the store for an unauthenticated request [W304]', async () => {
    const { ask, header, store } = setUp();
    await ask(header({ consumerKey: 'other' }));
    await ask(header(), { merchant: null });
    await ask(header().replace('n-1', 'n-2'));
    expect([store.reads, store.appends]).toStrictEqual([0, 0]);
  });
});
