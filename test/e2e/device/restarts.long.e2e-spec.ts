import { Secret } from '@app/kernel';
import type { DeviceRun } from '@app/device-client';
import { EMAIL, saleOrder, transferOrder } from '../../support/devices/device-orders';
import { orch } from '../../support/processes/orch';
import { clientCardIdOf, finalOf, NO_CHARGE, ThreeParties, type App } from '../../support/devices/three-parties';
import { until } from '../../support/until';

jest.setTimeout(60_000);

const DRAIN_MS = 10_000;
/** On shared stores, other processes notice the lost security code only after 60 s (architecture, rule 5). */
const INTERRUPTED_MS = 90_000;

let parties: ThreeParties;
let app: App;
beforeAll(async () => {
  parties = await ThreeParties.start({ parts: { whole: { groupB: { notificationWaitSeconds: 1 } } } });
  app = await parties.app(EMAIL);
});
afterAll(() => parties?.dispose());

const restartGateway = async (): Promise<void> => {
  await parties.gateway.kill();
  await parties.gateway.restart();
};
const restartServer = async (): Promise<void> => {
  await parties.server.end('SIGKILL');
  await parties.server.launch();
};
const orderIdOf = async (run: DeviceRun): Promise<string> => {
  if (!('invoice' in run)) throw new Error(`stopped at ${run.step}`);
  return (await parties.merchant.status({ clientOrderId: run.invoice.invoiceId })).fields['paynet-order-id'] ?? '';
};

describe('a restart in the middle (safety, section 2.2), after which the app goes on unaffected', () => {
  it('of the gateway, while the consumer chooses a fee for cards given by reference: the transfer goes on', async () => {
    const mapped = await app.session.run(saleOrder());
    const source = { reference: { clientCardId: clientCardIdOf(mapped) } };
    const run = await app.session.run(transferOrder('123', { source }), {
      chooseFee: async (fees) => {
        await restartGateway();
        return fees[1];
      },
    });
    expect(finalOf(run)).toMatchObject({ state: 'APPROVED', transaction: { commissionCentis: 1_000 } });
    expect(parties.charges(await orderIdOf(run))).toStrictEqual({ asked: 1, approved: 1 });
  });

  it.each([
    ['killed', () => parties.gateway.kill()],
    ['stopped, which waits for no consumer', () => parties.gateway.stop()],
  ])(
    'of the gateway, while a security code waits in its memory: interrupted, and nothing reaches the acquirer; %s [W383]',
    async (_how, end) => {
      const run = await app.session.run(transferOrder(), {
        chooseFee: async (fees) => {
          const endingAt = performance.now();
          await end();
          expect(performance.now() - endingAt).toBeLessThan(DRAIN_MS);
          await parties.gateway.restart();
          return fees[0];
        },
      });
      if (run.step !== 'follow') throw new Error(`stopped at ${run.step}`);
      const { transaction } = run;
      const refused = async () => {
        const told = await app.session.status(transaction);
        return told.kind === 'refused' && told;
      };
      expect(await until(refused, { what: 'the interruption', timeoutMs: INTERRUPTED_MS })).toMatchObject({ cause: 'PROCESSING_FAILED' });
      const { fields } = await parties.merchant.status({ clientOrderId: run.invoice.invoiceId });
      expect(fields).toMatchObject({ status: 'error', 'error-code': '121' });
      expect(parties.charges(fields['paynet-order-id'] ?? '')).toStrictEqual(NO_CHARGE);
    },
    INTERRUPTED_MS + 60_000,
  );

  it('of the gateway and the merchant server, while the payer is at the authentication page: charged once, and the card gets its name', async () => {
    const run = await app.session.run(saleOrder('321', { currency: 'EUR' }), {
      onRedirect: async (url) => {
        await Promise.all([restartGateway(), restartServer()]);
        await parties.payer.authenticate(url, 'hint');
      },
    });
    expect(finalOf(run)).toMatchObject({ state: 'APPROVED', secure3DAuthStatus: 'AUTHENTICATED' });
    expect(clientCardIdOf(run)).toMatch(/./);
    expect(parties.charges(await orderIdOf(run))).toStrictEqual({ asked: 1, approved: 1 });
  });

  it('of the merchant server between initiate and the check: it still has invoice, nonce and consumer', async () => {
    const order = saleOrder();
    const invoice = await app.session.initiate(order);
    if (invoice.kind !== 'answered') throw new Error(`not initiated: ${invoice.kind}`);
    await restartServer();
    const transaction = await app.session.perform(order, invoice.value);
    if (transaction.kind !== 'answered') throw new Error(`not performed: ${transaction.kind}`);
    expect(await app.session.follow(transaction.value)).toMatchObject({ kind: 'final', status: { state: 'APPROVED' } });
  });

  it('of the app, which still has its access token and its transaction', async () => {
    const order = transferOrder();
    const invoice = await app.session.initiate(order);
    if (invoice.kind !== 'answered') throw new Error(`not initiated: ${invoice.kind}`);
    const transaction = await app.session.perform(order, invoice.value);
    if (transaction.kind !== 'answered') throw new Error(`not performed: ${transaction.kind}`);
    const { session } = { session: app.client.session(new Secret(app.accessToken)) };
    // The app may have lost the answer to its perform: the same order and invoice get the same token.
    expect(await session.perform(order, invoice.value)).toStrictEqual(transaction);
    const ending = await session.follow(transaction.value, { chooseFee: ([fee]) => fee });
    expect(ending).toMatchObject({ kind: 'final', status: { state: 'APPROVED' } });
  });
});

describe('the merchant server away (protocol decisions, section 8)', () => {
  it('from the check on: the approval is shown within the wait, and the notification arrives when it is back [W408]', async () => {
    const run = await app.session.run(saleOrder('321', { currency: 'EUR' }), {
      onRedirect: async (url) => {
        await parties.server.end('SIGTERM');
        await parties.payer.authenticate(url, 'hint');
      },
    });
    expect(finalOf(run)).toMatchObject({ state: 'APPROVED' });
    if (run.step !== 'follow') throw new Error(`stopped at ${run.step}`);
    expect(run.cards).toMatchObject({ kind: 'no-answer', reason: 'unreachable' });
    await parties.server.launch();
    const names = await until(
      async () => {
        const told = await app.session.clientIds(run.invoice.invoiceId);
        return told.kind === 'answered' && told.value.sourceCard !== undefined && told.value;
      },
      { what: 'the notification to arrive', timeoutMs: 30_000 },
    );
    expect(names.sourceCard).toMatchObject({ bin: 444433 });
    expect(parties.charges(await orderIdOf(run))).toStrictEqual({ asked: 1, approved: 1 });
    const { out } = await orch(['deliveries', await orderIdOf(run), '--json'], parties.gateway.orchEnvironment);
    expect(out).toContain('notification');
  });
});
