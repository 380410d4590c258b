import type { DeviceRun, DeviceOrder } from '@app/device-client';
import { Secret } from '@app/kernel';
import { EMAIL, saleOrder, transferOrder, verificationOrder } from '../../support/devices/device-orders';
import { orch } from '../../support/processes/orch';
import { CARD_NUMBERS, cardInHand, clientCardIdOf, finalOf, NO_CHARGE, ThreeParties, type App } from '../../support/devices/three-parties';
import { until } from '../../support/until';

jest.setTimeout(60_000);

/** 1.2 s, because no consumer of this file chooses a fee. */
const FEE_CHOICE_MINUTES = 0.02;

let parties: ThreeParties;
let app: App;
beforeAll(async () => {
  parties = await ThreeParties.start({ parts: { whole: { groupB: { feeChoiceMinutes: FEE_CHOICE_MINUTES } } } });
  app = await parties.app(EMAIL);
});
afterAll(() => parties?.dispose());

const invoiceOf = (run: DeviceRun): string => ('invoice' in run ? run.invoice.invoiceId : '');
const asMerchant = async (run: DeviceRun) => (await parties.merchant.status({ clientOrderId: invoiceOf(run) })).fields;

describe('outcomes of the gate (protocol decisions, section 9; interface, section 3.2)', () => {
  it.each([
    ['101', 101],
    ['116', 116],
    ['119', 119],
    ['209', 209],
    ['999', 100],
  ])(
    'declines security code %s with %i for a verification and a sale, without mapping a card [W58, W120, W385]',
    async (securityCode, errorCode) => {
      const orders: readonly DeviceOrder[] = [verificationOrder(securityCode), saleOrder(securityCode)];
      for (const run of await Promise.all(orders.map((order) => app.session.run(order)))) {
        expect(finalOf(run)).toMatchObject({
          state: 'DECLINED',
          errorCode,
          errorMessage: expect.any(String),
          bankOrderId: expect.any(String),
        });
        expect(await asMerchant(run)).toMatchObject({ status: 'declined', 'error-code': String(errorCode) });
        const names = await app.session.clientIds(invoiceOf(run));
        expect(names).toMatchObject({ kind: 'answered' });
        expect(JSON.stringify(names)).not.toContain('clientCardId');
      }
    },
  );

  it('depend on the security code for a repeated order by reference [W457]', async () => {
    const clientCardId = clientCardIdOf(await app.session.run(saleOrder()));
    const source = { reference: { clientCardId, securityCode: new Secret('116') } };
    expect(finalOf(await app.session.run(saleOrder('123', { source })))).toMatchObject({ state: 'DECLINED', errorCode: 116 });
  });

  it("remain PROCESSING while unknown, and then follow the gate's answer: 217 and 218 [W55]", async () => {
    const settled = async (order: DeviceOrder) => {
      const states = new Set<string>();
      const run = await app.session.run(order, { onStatus: ({ state }) => void states.add(state) });
      return { states, status: finalOf(run), charges: parties.charges((await asMerchant(run))['paynet-order-id'] ?? '') };
    };
    const [sold, verified, declined] = await Promise.all(
      [saleOrder('217'), verificationOrder('217'), saleOrder('218')].map((order) => settled(order)),
    );
    for (const approved of [sold, verified])
      expect(approved).toMatchObject({ status: { state: 'APPROVED' }, charges: { asked: 1, approved: 1 } });
    expect(declined).toMatchObject({ status: { state: 'DECLINED', errorCode: 100 }, charges: { asked: 1, approved: 0 } });
    expect(sold?.states).toStrictEqual(new Set(['PROCESSING', 'APPROVED']));
  });
});

describe('3-D Secure (interface, section 3.2)', () => {
  it('declines a wrong password with 110 and NOT_AUTHENTICATED, without a charge [W63, W386]', async () => {
    const run = await app.session.run(saleOrder('321', { currency: 'EUR' }), {
      onRedirect: async (url) => void (await parties.payer.authenticate(url, 'guess')),
    });
    expect(finalOf(run)).toMatchObject({ state: 'DECLINED', errorCode: 110, secure3DAuthStatus: 'NOT_AUTHENTICATED' });
    const fields = await asMerchant(run);
    expect(fields).toMatchObject({ status: 'declined', 'verified-3d-status': 'NOT_AUTHENTICATED' });
    expect(parties.charges(fields['paynet-order-id'] ?? '')).toMatchObject({ approved: 0 });
  });

  it('reports UNSUPPORTED for a card without 3-D Secure, without showing a page [W63]', async () => {
    const pages: string[] = [];
    const run = await app.session.run(saleOrder('123', { currency: 'EUR' }), { onRedirect: (url) => void pages.push(url) });
    expect(finalOf(run)).toMatchObject({ state: 'APPROVED', secure3DAuthStatus: 'UNSUPPORTED' });
    expect(pages).toStrictEqual([]);
  });
});

describe('random sum (protocol decisions, section 7)', () => {
  /** A separate consumer for each, because the sums belong to the consumer's cards. */
  const verified = async (email: string, number: string, told?: number) => {
    const own = await parties.app(email);
    const run = await own.session.run(verificationOrder('123', { email, card: cardInHand('123', number) }));
    const clientCardId = clientCardIdOf(run);
    if (told !== undefined) {
      const begun = { serialNumber: own.serialNumber, accessToken: own.accessToken, invoiceId: invoiceOf(run) };
      expect((await parties.client.tellRandomSum(begun, told)).status).toBe(200);
    }
    const sold = (currency: string) => own.session.run(saleOrder('123', { email, currency, source: { reference: { clientCardId } } }));
    return { required: await sold('GBP'), optional: await sold('USD') };
  };

  it('is AUTHENTICATED if correct, whether required or optional [W64, W205]', async () => {
    const { required, optional } = await verified('right@example.com', '4444333322221111', 111);
    for (const run of [required, optional]) {
      expect(finalOf(run)).toMatchObject({ state: 'APPROVED', randomSumAuthStatus: 'AUTHENTICATED' });
      expect(await asMerchant(run)).toMatchObject({ 'verified-rsc-status': 'AUTHENTICATED' });
    }
  });

  it('declines the order with 111 if wrong and required, and is only reported if wrong and optional [W64, W205, W255, W367]', async () => {
    const { required, optional } = await verified('wrong@example.com', '4000000000000002', 999);
    expect(finalOf(required)).toMatchObject({ state: 'DECLINED', errorCode: 111, randomSumAuthStatus: 'NOT_AUTHENTICATED' });
    expect(await asMerchant(required)).toMatchObject({
      status: 'declined',
      'error-code': '111',
      'verified-rsc-status': 'NOT_AUTHENTICATED',
    });
    expect(finalOf(optional)).toMatchObject({ state: 'APPROVED', randomSumAuthStatus: 'NOT_AUTHENTICATED' });
  });

  it('declines the order with 111 if missing and required, and is not reported if missing and optional [W366]', async () => {
    const { required, optional } = await verified('silent@example.com', '4012888888881881');
    expect(finalOf(required)).toMatchObject({ state: 'DECLINED', errorCode: 111 });
    expect(finalOf(optional)).toMatchObject({ state: 'APPROVED' });
    for (const run of [required, optional]) expect(finalOf(run)).not.toHaveProperty('randomSumAuthStatus');
  });
});

describe('an order that ends without asking a gate (protocol decisions, section 8)', () => {
  const refusedWith = async (order: DeviceOrder, by = app) => {
    const run = await by.session.run(order);
    const fields = await asMerchant(run);
    return { ending: run.step === 'follow' ? run.ending : run, fields, charges: parties.charges(fields['paynet-order-id'] ?? '') };
  };

  it('is FILTERED by screening, filtered for the merchant, and not charged [W381]', async () => {
    const source = { card: cardInHand('123', CARD_NUMBERS.blocked) };
    const { ending, fields, charges } = await refusedWith(saleOrder('123', { currency: 'CAD', source }));
    expect(ending).toMatchObject({ kind: 'refused', cause: 'FILTERED', code: expect.stringMatching(/^\d{16}$/) });
    expect(fields).toMatchObject({ status: 'filtered', 'error-code': '120' });
    expect(charges).toStrictEqual(NO_CHARGE);
  });

  it('fails its check if the e-mail differs from that of the card mapping [W99, W399, W429]', async () => {
    const first = await app.session.run(saleOrder());
    const source = { reference: { clientCardId: clientCardIdOf(first) } };
    const { ending, fields, charges } = await refusedWith(saleOrder('123', { source, email: 'other@example.com' }));
    expect(ending).toMatchObject({ kind: 'refused', cause: 'PROCESSING_FAILED' });
    expect(fields).toMatchObject({ status: 'error' });
    expect(charges).toStrictEqual(NO_CHARGE);
  });

  it('fails its check if the card belongs to another consumer [W382]', async () => {
    const first = await app.session.run(saleOrder());
    const stranger = await parties.app('stranger@example.com');
    const source = { reference: { clientCardId: clientCardIdOf(first) } };
    const { ending, charges } = await refusedWith(saleOrder('123', { source, email: 'stranger@example.com' }), stranger);
    expect(ending).toMatchObject({ kind: 'refused', cause: 'PROCESSING_FAILED' });
    expect(charges).toStrictEqual(NO_CHARGE);
  });

  it('is DECLINED 110 if no fee is chosen in time, and accepts no later choice [W204, W376, W387]', async () => {
    const run = await app.session.run(transferOrder());
    if (run.step !== 'follow') throw new Error(`stopped at ${run.step}`);
    expect(run.ending).toMatchObject({ kind: 'fee-not-chosen' });
    const ended = await until(
      async () => {
        const ending = await app.session.follow(run.transaction);
        return ending.kind !== 'fee-not-chosen' && ending;
      },
      { what: 'the end of the choice' },
    );
    expect(ended).toMatchObject({ kind: 'final', status: { state: 'DECLINED', errorCode: 110 } });
    expect(await app.session.complete(run.transaction, 'sim-a')).toMatchObject({ kind: 'refused', cause: 'INVALID_REQUEST' });
    const fields = await asMerchant(run);
    expect(fields).toMatchObject({ status: 'declined', 'transaction-type': 'transfer', 'order-stage': 'transfer_declined' });
    expect(parties.charges(fields['paynet-order-id'] ?? '')).toStrictEqual(NO_CHARGE);
  });

  it('is reported as filtered, failed or declined by a callback that the merchant server accepts [W388]', async () => {
    const runs = [
      await app.session.run(saleOrder('123', { currency: 'CAD', source: { card: cardInHand('123', CARD_NUMBERS.blocked) } })),
      await app.session.run(saleOrder('123', { email: 'other@example.com' })),
      await app.session.run(saleOrder('116')),
    ];
    const endings: string[] = [];
    for (const run of runs) {
      const { status = '', 'paynet-order-id': orderId = '' } = await asMerchant(run);
      endings.push(status);
      await until(
        async () => (await orch(['deliveries', orderId, '--json'], parties.gateway.orchEnvironment)).out.includes('"delivered"'),
        { what: `the callback of ${status}` },
      );
    }
    expect(endings).toStrictEqual(['filtered', 'error', 'declined']);
  });
});
