import { callbackBody, callbackQuery, webhookHeaders, type CallbackFacts } from '@app/gateway-protocol';
import { Secret, type Instant, type MerchantLogin } from '@app/kernel';
import { checkCallback, type CallbackMerchant } from './listen';

const NOW = 1_705_273_725_000 as Instant;
const KEY = new Secret('B17F59B4-A7DC-41B4-8FF9-37D986B43D20');
const SECRET = new Secret('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
const acme: CallbackMerchant = { login: 'acme' as MerchantLogin, controlKey: KEY, callback: { method: 'post-json', secret: SECRET } };
const other: CallbackMerchant = { login: 'other' as MerchantLogin, controlKey: new Secret('ab'.repeat(16)), callback: { method: 'get' } };
const facts: CallbackFacts = {
  status: 'approved',
  orderid: 'p0sample0order1r',
  client_orderid: 'tour-1',
  type: 'sale',
  merchantdata: 'a&status=declined ü',
};
const JSON_TYPE = 'application/json';
const ID = '6b1c2d3e-4f50-5a61-8b72-9c83ad94be05';

it.each(['', 'shop=7&x=%26&', 'status=mine&', 'orderid=1&status=mine&'])(
  'verifies a GET callback whose address has its own query parameters (%j)',
  (own) => {
    const members = callbackQuery(facts, KEY);
    const parts = { method: 'GET', query: own + members, contentType: '', body: '', headers: webhookHeaders(ID, NOW, members, SECRET) };
    const checked = checkCallback(parts, [other, acme], NOW);
    expect(checked).toMatchObject({ merchant: 'acme', signature: 'good' });
    expect(checked?.members.get('status')).toBe('approved');
    expect(checked?.members.get('merchantdata')).toBe('a&status=declined ü');
  },
);

it('verifies a POST callback and identifies the merchant by the control checksum', () => {
  const body = callbackBody(facts, other.controlKey);
  const parts = { method: 'POST', query: '', contentType: JSON_TYPE, body, headers: webhookHeaders(ID, NOW, body) };
  expect(checkCallback(parts, [acme, other], NOW)).toMatchObject({ merchant: 'other', signature: 'not-signed' });
});

it('verifies a form-encoded POST callback with a signed body [W510]', () => {
  const body = callbackQuery(facts, KEY);
  const parts = { method: 'POST', query: '', contentType: 'application/x-www-form-urlencoded', body };
  const checked = checkCallback({ ...parts, headers: webhookHeaders(ID, NOW, body, SECRET) }, [other, acme], NOW);
  expect(checked).toMatchObject({ merchant: 'acme', signature: 'good' });
  expect(checked?.members.get('merchantdata')).toBe('a&status=declined ü');
});

it('reports an unknown checksum and a missing, expired or mismatched signature', () => {
  const body = callbackBody(facts, KEY);
  const post = { method: 'POST', query: '', contentType: JSON_TYPE, body };
  const signed = webhookHeaders(ID, NOW, body, SECRET);
  const forged = { ...post, body: body.replace('approved', 'declined') };
  expect(checkCallback({ ...forged, headers: signed }, [acme, other], NOW)).toMatchObject({ merchant: undefined });
  for (const headers of [
    {},
    webhookHeaders(ID, NOW, body),
    webhookHeaders(ID, NOW, `${body} `, SECRET),
    webhookHeaders(ID, (NOW - 600_000) as Instant, body, SECRET),
  ]) {
    expect(checkCallback({ ...post, headers }, [acme, other], NOW)).toMatchObject({ merchant: 'acme', signature: 'wrong' });
  }
  expect(checkCallback({ ...post, headers: signed }, [acme, other], NOW)).toMatchObject({ merchant: 'acme', signature: 'good' });
});

it.each(['', '[]', 'null', '7', '{', 'status=approved'])('returns undefined for a body that is no callback (%j)', (body) => {
  expect(checkCallback({ method: 'POST', query: '', contentType: JSON_TYPE, body, headers: {} }, [acme], NOW)).toBeUndefined();
  expect(checkCallback({ method: 'GET', query: 'x=1', contentType: '', body, headers: {} }, [acme], NOW)).toBeUndefined();
});
