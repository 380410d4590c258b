import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS } from '@app/configuration/configuration.module';
import { RequestDeadlines, StoreUnavailable } from '@app/event-store';
import { READ_MODEL } from '@app/read-models/read-models.tokens';
import { RECEIPT_LISTENER, ReceiptModule } from '@app/orders/http/receipt.module';
import { Receipts } from '@app/orders/http';
import { withGivenParts, type Given } from '../testing/given-parts';

const reported: unknown[] = [];
const away = new StoreUnavailable('away');
const GIVEN: Given = [
  [ACCOUNTS, { entryPoint: () => ({}), merchant: () => undefined }],
  [READ_MODEL, { search: { streamsNamed: () => Promise.reject(away) } }],
  [CARD_VAULT, {}],
  [RECEIPT_LISTENER, { failed: (error: unknown) => reported.push(error) }],
  [RequestDeadlines, { within: (run: () => unknown) => run() }],
];

it('the receipt module resolves and reports a receipt that cannot be read as unavailable', async () => {
  const world = await withGivenParts([ReceiptModule], GIVEN).compile();
  await expect(world.get(Receipts, { strict: false }).find('1001', 'x'.repeat(24))).resolves.toBe('unavailable');
  expect(reported).toStrictEqual([away]);
  await world.close();
});
