import { failure, forbidden, merchantServerUnderTest, SAMPLE_CARD } from '../testing/merchant-server-fixture';

const server = merchantServerUnderTest();
const { client } = server;

describe('client ids (protocol decisions, section 8) [W435]', () => {
  it('are random and identical for the same card of the same consumer [W436, W523, W572]', async () => {
    const who = { email: 'ids@example.com' };
    const first = await client.complete('sale', who);
    const second = await client.complete('sale', who, { source: { ...SAMPLE_CARD, serverCardId: 'canother0reference0c' } });
    const otherConsumer = await client.complete('sale', { email: 'other-consumer@example.com' });
    expect(first.source).toMatch(/^[0-9a-f-]{36}$/);
    expect(second.source).toBe(first.source);
    expect(otherConsumer.source).not.toBe(first.source);
    const { status, body } = await client.clientIds(first.begun);
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: {
        invoiceId: first.begun.invoiceId,
        sourceCard: { bin: 444_455, reference: { clientCardId: first.source } },
        sourceCardRefId: first.source,
      },
    });
  });

  it('are returned in both forms and differ between source and destination card [W523]', async () => {
    const destination = { bin: 555_566, serverCardId: 'cdestination0000000c', uniqueReferenceCardId: 987_654_321 };
    const transfer = await client.complete('transfer', { email: 'flat@example.com' }, { source: SAMPLE_CARD, destination });
    expect(transfer.source).not.toBe(transfer.destination);
    expect((await client.clientIds(transfer.begun)).body).toMatchObject({
      sourceCardRefId: transfer.source,
      destinationCardRefId: transfer.destination,
    });
  });

  it('are identical for a card in concurrent notifications', async () => {
    const accessToken = await client.token('at-once@example.com');
    const begun = await Promise.all(Array.from({ length: 6 }, () => client.begin('sale', { accessToken })));
    await Promise.all(begun.map((one) => client.check(one)));
    await Promise.all(begun.map((one) => client.notify(one)));
    const ids = await Promise.all(begun.map((one) => client.clientIds(one)));
    expect(new Set(ids.map(({ body }) => body.sourceCard?.reference.clientCardId)).size).toBe(1);
  });

  it('are returned for a later token of the same consumer and 403 for any other caller', async () => {
    const { begun } = await client.complete('sale', { email: 'late@example.com' });
    const later = { ...begun, accessToken: await client.token('late@example.com') };
    expect((await client.clientIds(later)).body).toHaveProperty('sourceCard');
    expect(await client.clientIds({ ...begun, accessToken: await client.token('thief@example.com') })).toMatchObject(forbidden);
    expect(await client.clientIds({ ...begun, serialNumber: 'SN-2' })).toMatchObject(forbidden);
    expect(await client.clientIds({ ...begun, invoiceId: 'unknown' })).toMatchObject(forbidden);
  });

  it('are absent before a card is mapped, and a random sum then returns INVALID_REQUEST [W572]', async () => {
    const begun = await client.begin('sale');
    expect((await client.clientIds(begun)).body).toStrictEqual({ invoiceId: begun.invoiceId });
    const { status, body } = await client.tellRandomSum(begun, 111);
    expect({ status, body }).toStrictEqual({
      status: 400,
      body: failure('INVALID_REQUEST', 'no card of this invoice was mapped', { invoiceId: begun.invoiceId }),
    });
  });
});
