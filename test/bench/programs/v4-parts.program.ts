import { createPrivateKey, createPublicKey, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MerchantLogin } from '@app/kernel';
import { ACME } from '../harness/acme';
import { built, ROOT } from '../harness/built';
import { answerQuestions } from '../harness/program';
import { OAUTH_PUBLIC_KEY_FILE } from '../load/requests';
import type { V4Parts, V4PartsAsked } from '../load/v4-parts';

const { claimUnique } = built<typeof import('@app/event-store')>('libs/event-store/index.js');
const { EmbeddedEventStore } = built<typeof import('@app/event-store/stores/embedded')>('libs/event-store/stores/embedded/index.js');
const { isOauthSigned, oauthBaseString, parseAuthorization, signedAuthorization } =
  built<typeof import('@app/gateway-protocol')>('libs/gateway-protocol/index.js');
const { systemClock, systemScheduler } = built<typeof import('@app/kernel')>('libs/kernel/index.js');
const { requestEnvelope } = built<typeof import('@app/order-processing')>('libs/order-processing/index.js');

const UNDER_WAY = 64;
const merchant = ACME.login as MerchantLogin;
const target = {
  method: 'POST',
  url: 'http://127.0.0.1:8080/paynet/api/v4/status/1001',
  parameters: [
    ['client_orderid', 'filled-1'],
    ['orderid', 'rabcdefghijklmnr'],
  ],
} as const;

/** CPU of the process for each call, in µs. */
const cpuOf = async (calls: number, work: () => Promise<void> | void): Promise<number> => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / calls;
};

answerQuestions(async ({ dataDir, calls }: V4PartsAsked): Promise<V4Parts> => {
  const privateKey = createPrivateKey(readFileSync(join(ROOT, 'config/acme.key.pem')));
  const publicKey = createPublicKey(readFileSync(OAUTH_PUBLIC_KEY_FILE));
  const now = systemClock.now();
  const header = signedAuthorization(target, { consumerKey: merchant, privateKey, nonce: randomUUID(), now });
  const claim = parseAuthorization(header);
  if (claim === undefined) throw new Error('the header has no claim');
  let length = 0;
  const read = (): void => {
    for (let call = 0; call < calls; call++) length += oauthBaseString(target, parseAuthorization(header)?.signed ?? []).length;
  };
  const verify = (): void => {
    for (let call = 0; call < calls; call++) if (!isOauthSigned(claim, target, publicKey)) throw new Error('the signature does not fit');
  };
  const baseString = (): void => {
    for (let call = 0; call < calls; call++) length += oauthBaseString(target, claim.signed).length;
  };
  const store = await EmbeddedEventStore.open({ path: join(dataDir, 'events.sqlite'), clock: systemClock, scheduler: systemScheduler });
  let next = 0;
  const claimOn = async (): Promise<void> => {
    for (let call = next++; call < calls; call = next++) {
      const serial = randomUUID();
      const taken = await claimUnique(store, 'oauthNonce', serial.replaceAll('-', ''), serial, requestEnvelope(merchant, { serial }, now));
      if (taken !== 'claimed') throw new Error('a nonce was taken before');
    }
  };
  const reading = await cpuOf(calls, read);
  // The verification also builds the text that was signed, which is counted with the parsing.
  const verification = (await cpuOf(calls, verify)) - (await cpuOf(calls, baseString));
  const nonce = await cpuOf(calls, () => Promise.all(Array.from({ length: UNDER_WAY }, claimOn)).then(() => undefined));
  await store.close();
  if (length === 0) throw new Error('nothing was read');
  return { readingMicroseconds: reading, verificationMicroseconds: verification, nonceMicroseconds: nonce };
});
