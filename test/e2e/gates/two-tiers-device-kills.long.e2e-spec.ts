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

describe('an app’s order under way to another gateway', () => {
  it.each<[string, () => Service]>([
    ['this service', () => tiers.parties.gateway],
    ['the other gateway', () => tiers.upstream],
  ])('is finished, and charged once, although %s is killed before its end', async (_, killed) => {
    const charged = await tiers.chargedBy(async () => {
      const transaction = await tiers.performedUpstream(saleOrder(OPEN_FOR_A_WHILE));
      await killed().kill();
      await killed().restart();
      expect(await tiers.statusWhen(transaction, 'APPROVED', 'DECLINED')).toMatchObject({ state: 'APPROVED' });
    });
    expect(charged).toStrictEqual([1]);
  });

  it('takes the choice of a fee, and is charged once, although this service is killed before it is made', async () => {
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

  it('fails with nothing charged where the other gateway is killed before a fee is chosen, as the CVV dies with it', async () => {
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
