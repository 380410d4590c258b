import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { addMs, isoInstant, Secret, type Instant } from '@app/kernel';
import type { Accounts, Merchant } from '@app/configuration';
import { parseForm } from '@app/gateway-protocol';
import { VirtualClock } from '@app/testing';
import { DecoyKeys } from '../request/decoy-keys';
import { ControlVerifier } from './control-verifier';
import { SenderVerifier, type SenderClaim } from './group-a-operation.decorator';
import type { OAuthVerifier } from './oauth-verifier';

const [PRESENT, FORMER, OTHER] = ['ab', 'cd', 'ef'].map((byte) => byte.repeat(16)) as [string, string, string];
const NOT_AFTER = addMs(new VirtualClock().now(), 60_000);

const acme = {
  login: 'acme',
  controlKey: new Secret(PRESENT),
  formerControlKey: { key: new Secret(FORMER), notAfter: isoInstant(NOT_AFTER) },
  rebillControl: 'either',
} as Merchant;
const accounts = {
  merchants: [acme],
  entryPoint: (_kind: string, id: string) => (id === '1001' ? { kind: 'endpoint', id, merchant: 'acme' } : undefined),
  merchant: () => acme,
} as unknown as Accounts;

/** The key that signed, or undefined, and how many checksums were computed. */
const sent = async (key: string, at: Instant, { login = 'acme', endpoint = '1001', space = '' } = {}) => {
  const real = new ControlVerifier({ find: () => Promise.resolve(undefined), findOfKind: () => Promise.resolve(undefined) });
  let computed = 0;
  const senders = new SenderVerifier({
    accounts,
    decoyKeys: new DecoyKeys(accounts),
    controls: { isSigned: (...given) => (computed++, real.isSigned(...given)) },
    oauth: {} as OAuthVerifier,
    clock: { now: () => at },
  });
  const control = createHash('sha1').update(`${login}card-1${space}${key}`).digest('hex');
  const form = parseForm(Buffer.from(new URLSearchParams({ login, cardrefid: `card-1${space}`, control }).toString()));
  if ('refused' in form) throw new Error(form.refused.message);
  const claim = {
    operation: { proof: { kind: 'control', text: 'card', hasLogin: true }, amount: 'none' },
    entryPoint: { kind: 'endpoint', id: endpoint },
    form: form.ok,
    exchange: {},
  } as unknown as SenderClaim;
  const verified = await senders.verify({} as Request, claim);
  return { signedWith: 'refusal' in verified ? undefined : verified.signedWith?.reveal(), computed };
};

describe('a request of a merchant with a former control key', () => {
  it.each([
    ['before its end, either key is accepted', -1, FORMER],
    ['at its end, either key is accepted', 0, FORMER],
    ['after its end, only the present key is accepted', 1, undefined],
  ])('%s', async (_title, ms, former) => {
    const at = addMs(NOT_AFTER, ms);
    for (const space of ['', '\n']) {
      expect((await sent(PRESENT, at, { space })).signedWith).toBe(PRESENT);
      expect((await sent(FORMER, at, { space })).signedWith).toBe(former);
      expect((await sent(OTHER, at, { space })).signedWith).toBeUndefined();
    }
  });

  it.each([
    ['before the end', -1, 2],
    ['after the end', 1, 1],
  ])('a wrong checksum, an unknown login and an unknown entry point compute equally many checksums %s (safety, T10)', async (_when, ms, count) => {
    const at = addMs(NOT_AFTER, ms);
    const unknown = [await sent(OTHER, at), await sent(PRESENT, at, { login: 'other' }), await sent(PRESENT, at, { endpoint: '9' })];
    expect(unknown).toStrictEqual(unknown.map(() => ({ signedWith: undefined, computed: count })));
  }); // prettier-ignore
});
