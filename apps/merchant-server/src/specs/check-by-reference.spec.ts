import { checkSaleSignature, checkTransferSignature } from '@app/gateway-protocol';
import { acme, byReference, forbidden, merchantServerUnderTest, SAMPLE_CARD, type Begun } from '../testing/merchant-server-fixture';

const server = merchantServerUnderTest();
const { client } = server;

const order = (begun: Begun) => ({ ...begun, currency: 'USD', amountCentis: 12_345 });

describe('a check by card reference (protocol decisions, section 8)', () => {
  it('returns the serverCardId, which the signature covers, and the mapped e-mail address [W105, W111, W112, W144, W427, W429, W542, W567, W568]', async () => {
    const { source } = await client.complete('sale', { email: 'repeat@example.com' });
    const again = await client.begin('sale', { email: 'repeat@example.com' });
    const { status, body } = await client.check(again, { sourceOfFunds: byReference(source) });
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: {
        invoiceId: again.invoiceId,
        session: {
          checkSignature: checkSaleSignature({ ...order(again), sourceServerCardId: SAMPLE_CARD.serverCardId }, acme.controlKey),
          nonce: again.nonce,
          token: again.token,
        },
        consumer: { email: 'repeat@example.com' },
        transaction: { currency: 'USD' },
        sourceOfFunds: { reference: { serverCardId: SAMPLE_CARD.serverCardId } },
      },
    });
  });

  it('returns both cards for a transfer [W106, W115, W145, W543, W549]', async () => {
    const destination = { bin: 555_566, serverCardId: 'cdestination0000000c', uniqueReferenceCardId: 987_654_321 };
    const who = { email: 'both@example.com' };
    const first = await client.complete('transfer', who, { source: SAMPLE_CARD, destination });
    const again = await client.begin('transfer', who);
    const { body } = await client.check(again, {
      sourceOfFunds: byReference(first.source),
      destinationOfFunds: byReference(first.destination),
    });
    const named = { sourceServerCardId: SAMPLE_CARD.serverCardId, destinationServerCardId: destination.serverCardId };
    expect(body).toMatchObject({
      session: { checkSignature: checkTransferSignature({ ...again, ...named }, acme.controlKey) },
      sourceOfFunds: { reference: { serverCardId: SAMPLE_CARD.serverCardId } },
      destinationOfFunds: { reference: { serverCardId: destination.serverCardId } },
    });
  });

  it('accepts a source card as a destination and returns 403 for a destination card as a source [W430, W569]', async () => {
    const who = { email: 'uses@example.com' };
    const destination = { bin: 555_566, serverCardId: 'cdestination0000000c', uniqueReferenceCardId: 987_654_321 };
    const cards = await client.complete('transfer', who, { source: SAMPLE_CARD, destination });
    const asDestination = await client.check(await client.begin('transfer', who), { destinationOfFunds: byReference(cards.source) });
    expect(asDestination.body.destinationOfFunds).toStrictEqual({ reference: { serverCardId: SAMPLE_CARD.serverCardId } });
    expect(await client.check(await client.begin('transfer', who), { sourceOfFunds: byReference(cards.destination) })).toMatchObject(
      forbidden,
    );
  });

  it("returns 403 for another consumer's card and for an unknown reference", async () => {
    const { source } = await client.complete('sale', { email: 'owner@example.com' });
    const thief = await client.begin('sale', { email: 'thief@example.com' });
    expect(await client.check(thief, { sourceOfFunds: byReference(source) })).toMatchObject(forbidden);
    const owner = await client.begin('sale', { email: 'owner@example.com' });
    expect(await client.check(owner, { sourceOfFunds: byReference('unknown') })).toMatchObject(forbidden);
  });

  it('returns the mapped e-mail address instead of that of the access token [W429, W568]', async () => {
    const destination = { bin: 555_566, serverCardId: 'cdestination0000000c', uniqueReferenceCardId: 987_654_321 };
    const mapped = 'Mapped@Example.com';
    const first = await client.complete('transfer', { email: mapped }, { source: SAMPLE_CARD, destination });
    const today = () => client.begin('transfer', { email: 'mapped@example.com' });
    const emailOf = async (begun: Begun, funds: object): Promise<unknown> => (await client.check(begun, funds)).body.consumer;
    expect(await emailOf(await today(), {})).toStrictEqual({ email: 'mapped@example.com' });
    expect(await emailOf(await today(), { sourceOfFunds: byReference(first.source) })).toStrictEqual({ email: mapped });
    expect(await emailOf(await today(), { destinationOfFunds: byReference(first.destination) })).toStrictEqual({ email: mapped });

    // A card mapped by the repeat has the e-mail address of the repeat's check.
    const repeat = await today();
    await client.check(repeat, { sourceOfFunds: byReference(first.source) });
    await client.notify(repeat, { source: SAMPLE_CARD, destination: { ...destination, uniqueReferenceCardId: 987_654_322 } });
    const named = (await client.clientIds(repeat)).body.destinationCard?.reference.clientCardId ?? '';
    expect(await emailOf(await today(), { destinationOfFunds: byReference(named) })).toStrictEqual({ email: mapped });
  });

  it('accepts a consumer identified only by the device', async () => {
    const { source } = await client.complete('sale', { serialNumber: 'SN-anonymous' });
    const again = await client.begin('sale', { serialNumber: 'SN-anonymous' });
    expect((await client.check(again, { sourceOfFunds: byReference(source) })).status).toBe(200);
    const elsewhere = await client.begin('sale', { serialNumber: 'SN-elsewhere' });
    expect(await client.check(elsewhere, { sourceOfFunds: byReference(source) })).toMatchObject(forbidden);
  });

  it('returns the same response if repeated and 403 for a different card under the same token', async () => {
    const who = { email: 'same@example.com' };
    const { source } = await client.complete('sale', who);
    const other = await client.complete('sale', who, { source: { ...SAMPLE_CARD, serverCardId: 'canother', uniqueReferenceCardId: 5 } });
    const begun = await client.begin('sale', who);
    const first = await client.check(begun, { sourceOfFunds: byReference(source) });
    expect(await client.check(begun, { sourceOfFunds: byReference(source) })).toMatchObject({ status: 200, body: first.body });
    expect(await client.check(begun, { sourceOfFunds: byReference(other.source) })).toMatchObject(forbidden);
    expect(await client.check(begun)).toMatchObject(forbidden);
  });

  it('returns the random sum that the cardholder entered for the card [W110, W365, W544]', async () => {
    const who = { email: 'sum@example.com' };
    const { begun, source } = await client.complete('verification', who);
    expect((await client.tellRandomSum(begun, 111)).status).toBe(200);
    const again = await client.begin('sale', who);
    const { body } = await client.check(again, { sourceOfFunds: byReference(source) });
    expect(body.transaction).toStrictEqual({ currency: 'USD', randomSumCentis: 111 });
  });
});
