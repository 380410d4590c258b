import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseFormAnswer } from '@app/gateway-protocol';
import { Merchant, type Answer } from '../../support/merchants/merchant';
import type { Fields, Order } from '../../support/merchants/signed-requests';
import {
  OauthMerchant,
  SANDBOX_PRIVATE_KEY_FILE,
  SANDBOX_PUBLIC_KEY_FILE,
  type OauthSending,
} from '../../support/merchants/oauth-merchant';
import { orch } from '../../support/processes/orch';
import { refusal } from '../../support/merchants/refusal';
import { sandboxConfiguration } from '../../support/processes/sandbox-configuration';
import { Service } from '../../support/processes/service';

jest.setTimeout(60_000);

const configuration = sandboxConfiguration({
  acme: { oauthPublicKeyFile: SANDBOX_PUBLIC_KEY_FILE },
  endpoints: [{ id: '1009', currency: 'USD', gates: ['sim-a'], operations: ['sale'] }],
});
const namedBy = ({ clientOrderId, orderId }: Order): Fields => ({ client_orderid: clientOrderId, orderid: orderId });

let service: Service;
let acme: Merchant;
let v4: OauthMerchant;

beforeAll(async () => {
  service = await Service.start({ configuration });
  acme = new Merchant(service);
  v4 = new OauthMerchant(service, () => service.baseUrl);
});
afterAll(() => service.dispose());

describe('card registration v4 (interface, section 2.2; decisions, sections 1 and 4)', () => {
  it('returns the names of table and example body, the source reference of v2, and a destination reference [W6, W7, W9, W10, W165, W289]', async () => {
    const order = await acme.approvedSale();
    const v2 = (await acme.createCardRef(order)).fields;
    const { status, headers, fields } = await v4.createCardRef(namedBy(order));
    expect([status, headers['content-type']]).toStrictEqual([200, 'text/html;charset=utf-8']);
    const source = v2['card-ref-id'];
    expect(fields).toStrictEqual({
      type: 'create-card-ref-response',
      'serial-number': expect.stringMatching(/^0{8}-/),
      status: 'approved',
      'card-ref-id': source,
      card_recurring_payment_id: source,
      'recurring-payment-id': source,
      destination_card_recurring_payment_id: expect.stringMatching(/^[a-z][a-z0-9]{18}c$/),
      'dst-card-ref-id': fields['destination_card_recurring_payment_id'],
      'end-point-id': '1001',
    });
    expect(fields['dst-card-ref-id']).not.toBe(source);
    const again = (await v4.createCardRef(namedBy(order), { at: 'group/2001' })).fields;
    expect(again).toStrictEqual({ ...fields, 'serial-number': again['serial-number'] });
  });

  it('returns a destination reference that shows its card and cannot be charged (safety, T12) [W10, W243, W290]', async () => {
    const { fields } = await v4.createCardRef(namedBy(await acme.approvedSale()));
    const destination = fields['dst-card-ref-id'] ?? '';
    const shown = (await acme.cardInfo(destination)).fields;
    expect(shown).toMatchObject({ type: 'get-card-info-response', bin: '444433', 'last-four-digits': '1111' });
    expect((await acme.rebill(destination)).fields).toMatchObject(refusal('6', 'Card reference'));
    const charge = await acme.accepted(acme.rebill(fields['recurring-payment-id'] ?? ''));
    expect(await acme.finalStatus(charge)).toMatchObject({ status: 'approved' });
  });

  it('ignores an Idempotency-Key, even an invalid one or one of another order (decisions, section 10) [W512]', async () => {
    const orders = [await acme.approvedSale(), await acme.approvedSale({ credit_card_number: '5555555555554444' })];
    const [references, serials] = [new Set<string>(), new Set<string>()];
    for (const order of orders) {
      for (const headers of [{}, ...['""', '"one-key"', '"one-key"'].map((key) => ({ 'idempotency-key': key }))]) {
        const { fields } = await v4.createCardRef(namedBy(order), { headers });
        expect(fields).toMatchObject({ type: 'create-card-ref-response', status: 'approved' });
        references.add(`${order.orderId} ${fields['card-ref-id']}`);
        serials.add(fields['serial-number'] ?? '');
      }
    }
    expect([references.size, serials.size]).toStrictEqual([2, 8]);
    expect(new Set([...references].map((text) => text.split(' ')[1])).size).toBe(2);
  });

  it.each<[string, Fields, OauthSending, string, string]>([
    ['an unknown order', { client_orderid: 'x', orderid: 'pabcdefghijklmnr' }, {}, '3', 'Order not found'],
    ['no client_orderid', { orderid: 'pabcdefghijklmnr' }, {}, '1', 'client_orderid'],
    ['no orderid', { client_orderid: 'x' }, {}, '1', 'orderid'],
    ['an entry point that does not list it', { client_orderid: 'x', orderid: 'pabcdefghijklmnr' }, { at: '1009' }, '10', 'Operation'],
  ])("refuses %s with the interface's refusal fields [W5]", async (_what, fields, sending, code, words) => {
    expect((await v4.createCardRef(fields, sending)).fields).toMatchObject(refusal(code, words));
  });
});

describe('order status v4 (decisions, section 1)', () => {
  it('responds like v2, by endpoint, by group, by client_orderid only, and by serial [W171]', async () => {
    const order = await acme.approvedSale({ merchant_data: 'a&b <c>' });
    const { 'serial-number': _serial, ...expected } = (await acme.status(order)).fields;
    for (const sending of [{}, { at: 'group/2001' }]) expect((await v4.status(namedBy(order), sending)).fields).toMatchObject(expected);
    expect((await v4.status({ client_orderid: order.clientOrderId })).fields).toMatchObject(expected);
    const ofRequest = (await v4.status({ ...namedBy(order), 'by-request-sn': order.serial })).fields;
    expect(ofRequest).toMatchObject({ ...expected, 'by-request-sn': order.serial });
  });

  it('verifies values as sent, including white space, and reads them trimmed [W269]', async () => {
    const { clientOrderId, orderId } = await acme.approvedSale();
    const fields = { client_orderid: ` ${clientOrderId}\n`, orderid: `${orderId} `, unknown: 'ä & b=c %20 +~' };
    expect((await v4.status(fields)).fields).toMatchObject({ status: 'approved' });
  });

  it("reports another merchant's order as not found", async () => {
    const other = new Merchant(service, { login: 'other', controlKey: '0F0E0D0C-0B0A-0908-0706-050403020100', at: '9001' });
    const order = await other.approvedSale();
    expect((await v4.status(namedBy(order))).fields).toMatchObject(refusal('3', 'Order not found'));
  });
});

describe('a failed authentication of version 4 (interface, sections 5.2 and 7.1)', () => {
  const FIELDS = { client_orderid: 'inv-1', orderid: 'pabcdefghijklmnr' };
  const asked = (sending: OauthSending, fields: Fields = FIELDS): Promise<Answer> => v4.status(fields, sending);

  it('returns HTTP 403 and the same page for every fault [W139, W140, W157, W181, W183, W266, W303]', async () => {
    const authorization = v4.authorization('status', FIELDS);
    const path = v4.pathOf('status');
    const stranger = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
    const changed = (from: string | RegExp, to: string) => v4.postSigned(path, FIELDS, { authorization: authorization.replace(from, to) });
    const wrong: readonly (readonly [string, Promise<Answer>])[] = [
      ['no header', v4.postSigned(path, FIELDS, {})],
      ['an empty header', v4.postSigned(path, FIELDS, { authorization: '' })],
      ['another scheme', v4.postSigned(path, FIELDS, { authorization: 'Basic YWNtZTph' })],
      ['a checksum instead', v4.postSigned(path, acme.signedOrder({ login: 'acme', ...FIELDS }), {})],
      ['another key', asked({ privateKey: stranger })],
      ['an unknown consumer', asked({ consumerKey: 'nobody' })],
      ['a consumer without key', asked({ consumerKey: 'other', at: '9001' })],
      ['another merchant’s entry point', asked({ at: '9001' })],
      ['another merchant’s group', asked({ at: 'group/9101' })],
      ['an unknown entry point', asked({ at: '7777' })],
      ['a group id on the endpoint path', asked({ at: '2001' })],
      ['an endpoint id on the group path', asked({ at: 'group/1001' })],
      ['another login in the body', asked({}, { ...FIELDS, login: 'other' })],
      ['another body', asked({ signedFields: { ...FIELDS, client_orderid: 'inv-2' } })],
      ['another path', asked({ signedUrl: `${service.baseUrl}/paynet/api/v4/status/1002` })],
      ['the version before', asked({ signedUrl: `${service.baseUrl}/paynet/api/v2/status/1001` })],
      ['301 s ago', asked({ skewMs: -301_000 })],
      ['302 s to come', asked({ skewMs: 302_000 })],
      ['another method', changed('RSA-SHA256', 'HMAC-SHA1')],
      ['another version', changed('oauth_version="1.0"', 'oauth_version="2.0"')],
      ['a parameter twice', changed(/$/, ', oauth_version="1.0"')],
      ['a parameter in the body', asked({}, { ...FIELDS, oauth_token: '' })],
      ['a query', v4.postSigned(`${path}?a=1`, FIELDS, { authorization })],
    ];
    const [first] = await Promise.all([wrong[0]?.[1]]);
    expect(first?.status).toBe(403);
    expect(first?.headers['content-type']).toBe('text/html;charset=utf-8');
    expect(first?.body).toMatch(/^<!DOCTYPE html>/);
    expect(first?.body).toMatch(/access is denied/i);
    for (const [what, answer] of wrong) {
      const { status, body, headers } = await answer;
      expect([what, status, body, headers['content-type']]).toStrictEqual([what, 403, first?.body, first?.headers['content-type']]);
    }
    expect((await v4.postSigned(path, FIELDS, { authorization })).status).toBe(200);
  });

  it('returns a page even if the client asks for JSON', async () => {
    const { status, headers } = await asked({ consumerKey: 'nobody', headers: { accept: 'application/vnd.pay+json' } });
    expect([status, headers['content-type']]).toStrictEqual([403, 'text/html;charset=utf-8']);
  });

  it('depends on the configured address and not on the Host header [W302]', async () => {
    const headers = { host: 'evil.example' };
    expect((await asked({ headers })).status).toBe(200);
    expect((await asked({ headers, signedUrl: `http://evil.example${v4.pathOf('status')}` })).status).toBe(403);
  });

  it('is reported only for a form that can be read (decisions, sections 3 and 4) [W227, W266]', async () => {
    const post = (body: string, type = 'application/x-www-form-urlencoded') =>
      service.request(v4.pathOf('status'), { method: 'POST', headers: { 'content-type': type }, body });
    for (const answer of [await post('a=%'), await post('a=1&a=1'), await post('a=1', 'application/json')]) {
      expect(answer.status).toBe(200);
      expect(answer.body).toMatch(/^type=validation-error\n&.*error-code=1\n$/s);
    }
    expect((await post('a'.repeat(1_048_577))).status).toBe(413);
    expect((await post('client_orderid=')).status).toBe(403);
  });

  it('is reported before field errors, which therefore reveal nothing to unauthenticated senders', async () => {
    expect((await asked({ consumerKey: 'nobody' }, {})).status).toBe(403);
    expect((await asked({}, {})).fields).toMatchObject(refusal('1', 'client_orderid'));
  });
});

describe('orch sign --key', () => {
  it('prints a v4 request that a shell can send unchanged', async () => {
    const order = await acme.approvedSale();
    const folder = mkdtempSync(join(tmpdir(), 'orch-sign-'));
    try {
      const configured = join(folder, 'configuration.json');
      writeFileSync(configured, JSON.stringify({ ...configuration, publicBaseUrl: service.baseUrl }));
      const named = [`client_orderid=${order.clientOrderId}`, `orderid=${order.orderId}`];
      const args = ['sign', 'create-card-ref', '--endpoint', '1001', '--key', SANDBOX_PRIVATE_KEY_FILE, '--curl', ...named];
      const { code, out, problems } = await orch(args, { ORCH_CONFIG: configured });
      expect([code, problems]).toStrictEqual([0, '']);
      expect(out).toMatch(/^curl -sS http:\/\/127\.0\.0\.1:\d+\/paynet\/api\/v4\/create-card-ref\/1001 --header 'Authorization: OAuth /);
      const { stdout } = await promisify(execFile)('sh', ['-c', out]);
      expect(Object.fromEntries(parseFormAnswer(stdout))).toMatchObject({ type: 'create-card-ref-response', status: 'approved' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

/** 20 in each run, 1,000 on demand (safety, B17). */
const REPLAYS = Number(process.env['REPLAYS'] ?? 20);

describe('an OAuth nonce is accepted once (safety, B17)', () => {
  it(`${REPLAYS} replays are refused, before and after a restart`, async () => {
    const order = await acme.approvedSale();
    const fields = namedBy(order);
    const path = v4.pathOf('status');
    const authorization = v4.authorization('status', fields);
    expect((await v4.postSigned(path, fields, { authorization })).status).toBe(200);
    const replay = async (): Promise<number> => (await v4.postSigned(path, fields, { authorization })).status;
    for (let count = 0; count < REPLAYS; count++) expect(await replay()).toBe(403);
    await service.kill();
    await service.restart();
    for (let count = 0; count < REPLAYS; count++) expect(await replay()).toBe(403);
    const nonce = 'the-same-nonce';
    expect((await v4.status(fields, { nonce })).status).toBe(200);
    // Signed again at another time, because only the nonce counts.
    expect((await v4.status(fields, { nonce, skewMs: 60_000 })).status).toBe(403);
    expect((await service.stored()).includes(nonce)).toBe(false);
  });
});
