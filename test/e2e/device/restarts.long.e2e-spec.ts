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

describe('a restart during an order (safety, section 2.2), after which the app continues', () => {
  it('of the gateway during the fee choice completes the transfer if the cards were given by reference', async () => {
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
    'of the gateway during the fee choice interrupts an order with a security code, without a charge: %s [W383]',
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

  it('of gateway and merchant server during authentication charges the order once and assigns the card id', async () => {
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

  it('of the merchant server between initiate and check keeps invoice, nonce and consumer', async () => {
    const order = saleOrder();
    const invoice = await app.session.initiate(order);
    if (invoice.kind !== 'answered') throw new Error(`not initiated: ${invoice.kind}`);
    await restartServer();
    const transaction = await app.session.perform(order, invoice.value);
    if (transaction.kind !== 'answered') throw new Error(`not performed: ${transaction.kind}`);
    expect(await app.session.follow(transaction.value)).toMatchObject({ kind: 'final', status: { state: 'APPROVED' } });
  });

  it('of the app keeps its access token and its transaction', async () => {
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

describe('a merchant server that goes down (protocol decisions, section 8)', () => {
  it('after the check delays only the notification: the order is approved in time [W408]', async () => {
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
