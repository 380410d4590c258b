import { saleOrder, transferOrder } from '../../support/devices/device-orders';
import { TwoDeviceTiers } from '../../support/devices/two-device-tiers';
import type { Service } from '../../support/processes/service';

jest.setTimeout(180_000);

const OPEN_FOR_A_WHILE = '217';

let tiers: TwoDeviceTiers;
beforeAll(async () => {
  tiers = await TwoDeviceTiers.start();
});
afterAll(() => tiers?.dispose());

describe("an app's order in progress at another gateway", () => {
  it.each<[string, () => Service]>([
    ['this service', () => tiers.parties.gateway],
    ['the other gateway', () => tiers.upstream],
  ])('completes and is charged once if %s is killed before its end', async (_, killed) => {
    const charged = await tiers.chargedBy(async () => {
      const transaction = await tiers.performedUpstream(saleOrder(OPEN_FOR_A_WHILE));
      await killed().kill();
      await killed().restart();
      expect(await tiers.statusWhen(transaction, 'APPROVED', 'DECLINED')).toMatchObject({ state: 'APPROVED' });
    });
    expect(charged).toStrictEqual([1]);
  });

  it('accepts the fee choice and is charged once if this service is killed before the choice', async () => {
    const charged = await tiers.chargedBy(async () => {
      const transaction = await tiers.performed(transferOrder());
      await tiers.statusWhen(transaction, 'TRANSFER_FEE_REQUEST');
      await tiers.parties.gateway.kill();
      await tiers.parties.gateway.restart();
      expect(await tiers.app.session.complete(transaction, 'sim-b')).toMatchObject({ kind: 'answered' });
      const ended = await tiers.statusWhen(transaction, 'APPROVED', 'DECLINED');
      expect(ended).toMatchObject({ state: 'APPROVED', transaction: { commissionCentis: 1_000 } });
    });
    expect(charged).toStrictEqual([1]);
  });

  it('fails without a charge if the other gateway is killed before the fee choice, because its CVV is lost', async () => {
    const charged = await tiers.chargedBy(async () => {
      const transaction = await tiers.performed(transferOrder());
      await tiers.statusWhen(transaction, 'TRANSFER_FEE_REQUEST');
      await tiers.upstream.kill();
      await tiers.upstream.restart();
      expect(await tiers.app.session.complete(transaction, 'sim-b')).toMatchObject({ kind: 'answered' });
      expect(await tiers.statusWhen(transaction, 'PROCESSING_FAILED')).toBe('PROCESSING_FAILED');
    });
    expect(charged).toStrictEqual([]);
  });
});
