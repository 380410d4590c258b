import { createHmac } from 'node:crypto';
import { addMs, type Instant, Secret } from '@app/kernel';
import { isWebhookAuthentic, isWebhookSecret, WEBHOOK_TOLERANCE_MS, type WebhookHeaders, webhookHeaders } from './webhook-signature';

// The test vector of the Standard Webhooks libraries.
const secret = new Secret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const at = 1_614_265_330_000 as Instant;
const body = '{"test": 2432232314}';
const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

describe('webhook signature (protocol decisions, section 6; safety, T41)', () => {
  it('equals the reference vector, and is absent without a secret [W333]', () => {
    const named = { 'webhook-id': id, 'webhook-timestamp': '1614265330' };
    expect(webhookHeaders(id, addMs(at, 999), body, secret)).toStrictEqual({ ...named, 'webhook-signature': signature });
    expect(webhookHeaders(id, at, body)).toStrictEqual(named);
  });

  const headers = webhookHeaders(id, at, body, secret);

  it('is accepted within the tolerance, even next to a signature of another secret', () => {
    expect(isWebhookAuthentic(headers, body, secret, at)).toBe(true);
    expect(isWebhookAuthentic({ ...headers, 'webhook-signature': `v1,other ${signature}` }, body, secret, at)).toBe(true);
    expect(isWebhookAuthentic(headers, body, secret, addMs(at, WEBHOOK_TOLERANCE_MS))).toBe(true);
  });

  const { 'webhook-signature': _signature, ...unsigned } = headers;
  it.each([
    ['another body', headers, `${body} `, secret, at],
    ['another id', { ...headers, 'webhook-id': 'msg_2' }, body, secret, at],
    ['another time', { ...headers, 'webhook-timestamp': '1614265331' }, body, secret, at],
    ['an invalid time', { ...headers, 'webhook-timestamp': '1e9' }, body, secret, at],
    ['an old delivery', headers, body, secret, addMs(at, WEBHOOK_TOLERANCE_MS + 1)],
    ['one from the future', headers, body, secret, addMs(at, -WEBHOOK_TOLERANCE_MS - 1)],
    ['another secret', headers, body, new Secret(`whsec_${Buffer.alloc(24, 1).toString('base64')}`), at],
    ['no signature', unsigned, body, secret, at],
    ['another version', { ...headers, 'webhook-signature': signature.replace('v1', 'v2') }, body, secret, at],
  ])('refuses %s', (_what, sent, sentBody, theirSecret, now) => {
    expect(isWebhookAuthentic(sent, sentBody, theirSecret, now)).toBe(false);
  });

  /** A signature over malformed input, made with the secret. */
  const signedBy = (signedId: string, timestamp: string): string => {
    const key = Buffer.from(secret.reveal().slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${signedId}.${timestamp}.${body}`).digest('base64')}`;
  };

  it.each<[timestamp: string, now: number, isTime: boolean]>([
    ['5', 5_000, true],
    ['999999999999', 999_999_999_999_000, true],
    ['1000000000000', 1_000_000_000_000_000, false],
    ['', 0, false],
    [' 1614265330', at, false],
    ['1614265330s', at, false],
  ])('requires a timestamp of 1 to 12 digits: %j is accepted: %s', (timestamp, now, isTime) => {
    const sent = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signedBy(id, timestamp) };
    expect(isWebhookAuthentic(sent, body, secret, now as Instant)).toBe(isTime);
  });

  it('is refused if the webhook id is missing, whatever id was signed', () => {
    const { 'webhook-id': _id, ...unnamed }: Partial<WebhookHeaders> = headers;
    const signatures = ['', 'undefined'].map((signedId) => signedBy(signedId, '1614265330')).join(' ');
    expect(isWebhookAuthentic({ ...unnamed, 'webhook-signature': signatures }, body, secret, at)).toBe(false);
  });

  it.each<[text: string, isOne: boolean]>([
    [secret.reveal(), true],
    [`whsec_${Buffer.alloc(64).toString('base64')}`, true],
    [`whsec_${Buffer.alloc(23).toString('base64')}`, false],
    [`whsec_${Buffer.alloc(65).toString('base64')}`, false],
    ['MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', false],
    ['whsec_not base64 not base64 not base64', false],
    ['whsec_', false],
    [secret.reveal().replace('whsec_', 'whsek_'), false],
    [secret.reveal().replace('whsec_', 'whsec_!'), false],
    [`${secret.reveal()}!`, false],
    [`whsec_${Buffer.alloc(25, 0xfb).toString('base64')}`, true],
    [`whsec_${Buffer.alloc(26, 0xfb).toString('base64')}`, true],
    [`whsec_${Buffer.alloc(25, 0xfb).toString('base64url')}`, false],
    [`whsec_${Buffer.alloc(25, 1).toString('base64url')}`, false],
    [`whsec_${Buffer.alloc(26, 0xfb).toString('base64')}=`, false],
  ])('has a secret of the specified format: %s is valid: %s', (text, isOne) => expect(isWebhookSecret(text)).toBe(isOne));

  it('throws for an invalid configured secret without revealing it', () => {
    expect(() => webhookHeaders(id, at, body, new Secret('hunter2'))).toThrow(
      /^the webhook secret is not whsec_ and base64 of 24 to 64 bytes$/,
    );
  });
});
