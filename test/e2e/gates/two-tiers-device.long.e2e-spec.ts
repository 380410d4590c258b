import { Secret } from '@app/kernel';
import { saleOrder, transferOrder, verificationOrder } from '../../support/devices/device-orders';
import { clientCardIdOf, finalOf } from '../../support/devices/three-parties';
import { cheapest, TwoDeviceTiers } from '../../support/devices/two-device-tiers';

jest.setTimeout(60_000);

const NOT_SUFFICIENT_FUNDS = '116';

let tiers: TwoDeviceTiers;
beforeAll(async () => {
  tiers = await TwoDeviceTiers.start();
});
afterAll(() => tiers?.dispose());

describe("an app's order routed to another gateway of the family", () => {
  it('verifies a card at that gateway', async () => {
    expect(finalOf(await tiers.app.session.run(verificationOrder()))).toMatchObject({
      state: 'APPROVED',
      bankOrderId: expect.stringMatching(/^PNTEST-/),
    });
  });

  it('charges a card at that gateway once, and once more by client card id', async () => {
    const charged = await tiers.chargedBy(async () => {
      const first = await tiers.app.session.run(saleOrder());
      expect(finalOf(first)).toMatchObject({ state: 'APPROVED', bankOrderId: expect.stringMatching(/^PNTEST-/) });
      const reference = { clientCardId: clientCardIdOf(first), securityCode: new Secret('123') };
      expect(finalOf(await tiers.app.session.run(saleOrder('123', { source: { reference } })))).toMatchObject({ state: 'APPROVED' });
    });
    expect(charged).toStrictEqual([1, 1]);
  });

  it('is declined with the reason that the other gateway returned', async () => {
    const charged = await tiers.chargedBy(async () => {
      expect(finalOf(await tiers.app.session.run(saleOrder(NOT_SUFFICIENT_FUNDS)))).toMatchObject({ state: 'DECLINED', errorCode: 116 });
    });
    expect(charged).toStrictEqual([]);
  });

  it("transfers money between cards for the other gateway's commission", async () => {
    const charged = await tiers.chargedBy(async () => {
      const ended = finalOf(await tiers.app.session.run(transferOrder('123', { currency: 'EUR' })));
      expect(ended).toMatchObject({ state: 'APPROVED', transaction: { amountCentis: 100_000, commissionCentis: 1_500 } });
    });
    expect(charged).toStrictEqual([1]);
  });

  it("offers the other gateway's fees to the consumer and completes with the chosen fee", async () => {
    const offered: unknown[] = [];
    const charged = await tiers.chargedBy(async () => {
      const run = await tiers.app.session.run(transferOrder(), {
        chooseFee: (fees) => {
          offered.push(fees.map((fee) => ({ ...fee })));
          return cheapest(fees);
        },
      });
      expect(finalOf(run)).toMatchObject({ state: 'APPROVED', transaction: { commissionCentis: 1_000 } });
    });
    expect(offered).toStrictEqual([
      [
        { assignedId: 'sim-a', commissionCentis: 1_500, currency: 'USD' },
        { assignedId: 'sim-b', commissionCentis: 1_000, currency: 'USD' },
      ],
    ]);
    expect(charged).toStrictEqual([1]);
  });
});
