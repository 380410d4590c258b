import { type ClientOrderId } from '@app/kernel';
import { callbackControl } from '@app/gateway-protocol';
import { MountableMerchantServer } from '@app/merchant-server';
import { acme, failure, forbidden, merchantServerUnderTest } from '../testing/merchant-server-fixture';

const server = merchantServerUnderTest();
const { client } = server;

describe('callback (protocol decisions, section 6)', () => {
  const factsOf = (clientOrderId: string, status = 'approved') => {
    const named = { status, orderId: 't0sample0order1r', clientOrderId };
    return {
      status,
      orderid: named.orderId,
      client_orderid: clientOrderId,
      merchant_order: clientOrderId,
      control: callbackControl(named, acme.controlKey),
    };
  };
  const ends = async (clientOrderId: string) => {
    const found = await new MountableMerchantServer(server.settings).orderEnds.of(acme, clientOrderId as ClientOrderId);
    return found.map(({ status, orderId }) => ({ status, orderId }));
  };

  const SENDERS: Readonly<Record<string, (facts: Record<string, string>) => ReturnType<typeof client.send>>> = {
    POST: (facts) => client.send('callback', facts),
    'POST of a form': (facts) =>
      client.send('callback', new URLSearchParams(facts).toString(), { headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    GET: (facts) => client.send(`callback?${new URLSearchParams(facts).toString()}`, undefined, { method: 'GET' }),
  };
  it.each(Object.entries(SENDERS))(
    'by %s is recorded once if repeated, and a different status is recorded as a further end [W153, W510]',
    async (_, send) => {
      const { token: clientOrderId } = await client.begin('sale');
      expect((await send(factsOf(clientOrderId))).status).toBe(200);
      expect((await send(factsOf(clientOrderId))).status).toBe(200);
      expect(await ends(clientOrderId)).toStrictEqual([{ status: 'approved', orderId: 't0sample0order1r' }]);
      expect((await send(factsOf(clientOrderId, 'declined'))).status).toBe(200);
      expect((await ends(clientOrderId)).at(-1)).toStrictEqual({ status: 'declined', orderId: 't0sample0order1r' });
    },
  );

  it('is accepted with an upper-case control [W504]', async () => {
    const { token: clientOrderId } = await client.begin('sale');
    const facts = factsOf(clientOrderId);
    expect((await client.send('callback', { ...facts, control: facts.control.toUpperCase() })).status).toBe(200);
    expect(await ends(clientOrderId)).toHaveLength(1);
  });

  it('returns 403 and records nothing for a wrong control', async () => {
    expect(await client.send('callback', { ...factsOf('forged'), status: 'declined' })).toMatchObject(forbidden);
    expect(await client.below('other').send('callback', factsOf('forged'))).toMatchObject(forbidden);
    expect(await ends('forged')).toStrictEqual([]);
  });

  it.each([
    ['a digit of the order id', '123456789', '07'],
    ['a digit of the client_orderid', '12345678907', ''],
    ['all of it', '', '12345678907'],
  ])('returns 400 for a checksum that belongs to another order, with %s moved to the other member', async (_, orderId, clientOrderId) => {
    const named = { status: 'approved', orderId: '1234567890', clientOrderId: '7' };
    const forged = {
      status: named.status,
      orderid: orderId,
      client_orderid: clientOrderId,
      control: callbackControl(named, acme.controlKey),
    };
    expect(callbackControl({ ...named, orderId, clientOrderId }, acme.controlKey)).toBe(forged.control);
    expect(await client.send('callback', forged)).toMatchObject({ status: 400, body: failure('INVALID_REQUEST') });
    expect(await ends(clientOrderId)).toStrictEqual([]);
  });

  it("for an invoice is accepted with an orderid in another gateway's format", async () => {
    const { token: clientOrderId } = await client.begin('sale');
    const named = { status: 'approved', orderId: '77', clientOrderId };
    const facts = {
      status: named.status,
      orderid: named.orderId,
      client_orderid: clientOrderId,
      control: callbackControl(named, acme.controlKey),
    };
    expect((await client.send('callback', facts)).status).toBe(200);
    expect(await ends(clientOrderId)).toStrictEqual([{ status: 'approved', orderId: '77' }]);
  });

  it.each([
    ['a status that is not final', factsOf('not-final', 'processing')],
    ['a missing member', { ...factsOf('missing'), orderid: undefined }],
    ['a member that is no text', { ...factsOf('no-text'), orderid: 1 }],
    ['a list', []],
    ['null', null],
    ['a member twice', '{"status":"approved","status":"declined"}'],
  ])('returns 400 for %s', async (_, body) => {
    expect(await client.send('callback', body)).toMatchObject({ status: 400, body: failure('INVALID_REQUEST') });
  });

  it('returns 400 for a duplicate query parameter', async () => {
    const query = new URLSearchParams(factsOf('twice')).toString();
    expect((await client.send(`callback?${query}&status=approved`, undefined, { method: 'GET' })).status).toBe(400);
  });
});
