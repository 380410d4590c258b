import { byReference, merchantServerUnderTest } from '../testing/merchant-server-fixture';

const server = merchantServerUnderTest();
const { client } = server;

describe('the log of the merchant server', () => {
  it('contains no token, nonce, e-mail address or serial number in clear text (safety, section 5.1)', async () => {
    const { begun } = await client.complete('sale', { email: 'canary@example.com', serialNumber: 'SN-canary' });
    const text = await server.storedText();
    expect(text).toContain(begun.invoiceId);
    for (const secret of [begun.accessToken, begun.nonce, begun.token, begun.signature, 'canary@example.com', 'SN-canary']) {
      expect(text).not.toContain(secret);
      expect(server.logged).not.toContain(secret);
    }
  });

  it('contains no random sum in clear text (safety, T36)', async () => {
    const who = { email: 'sums@example.com' };
    const [sumOfApp, sumOfProduct] = [70_717_071, 90_919_091];
    const { begun, source } = await client.complete('verification', who);
    expect((await client.tellRandomSum(begun, sumOfApp)).status).toBe(200);
    const again = await client.begin('sale', who);
    const checked = await client.check(again, { sourceOfFunds: byReference(source) });
    expect(checked.body.transaction.randomSumCentis).toBe(sumOfApp);
    server.decision = { kind: 'go-on', randomSumCentis: sumOfProduct };
    expect((await client.check(await client.begin('sale', who))).body.transaction.randomSumCentis).toBe(sumOfProduct);
    const text = await server.storedText();
    expect(text).toContain(source);
    for (const sum of [sumOfApp, sumOfProduct]) {
      expect(text).not.toContain(String(sum));
      expect(server.logged).not.toContain(String(sum));
    }
  });
});

it('each operation makes only the necessary reads and appends', async () => {
  const cost = async (work: () => Promise<unknown>) => {
    const { reads, appends } = server.store;
    await work();
    return { reads: server.store.reads - reads, appends: server.store.appends - appends };
  };
  const accessToken = await client.token('cost@example.com');
  const first = await client.begin('sale', { accessToken });
  expect(await cost(() => client.initiate('sale', { accessToken }))).toStrictEqual({ reads: 1, appends: 1 });
  expect(await cost(() => client.check(first))).toStrictEqual({ reads: 1, appends: 2 });
  expect(await cost(() => client.notify(first))).toStrictEqual({ reads: 4, appends: 2 });
  const again = await client.begin('sale', { accessToken });
  await client.check(again);
  expect(await cost(() => client.notify(again))).toStrictEqual({ reads: 4, appends: 1 });
  expect(await cost(() => client.notify(again))).toStrictEqual({ reads: 3, appends: 0 });
});
