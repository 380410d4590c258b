import { ACCOUNTS } from '@app/configuration/configuration.module';
import { RequestDeadlines, StoreUnavailable } from '@app/event-store';
import { READ_MODEL } from '@app/projections/projections.tokens';
import { withGivenParts, type Given } from '../testing/given-parts';
import { RECEIPT_WATCH, ReceiptModule } from './receipt.module';
import { Receipts } from './receipts';

const unread: unknown[] = [];
const away = new StoreUnavailable('away');
const GIVEN: Given = [
  [ACCOUNTS, { entryPoint: () => ({}), merchant: () => undefined }],
  [READ_MODEL, { search: { streamsNamed: () => Promise.reject(away) } }],
  [RECEIPT_WATCH, { unread: (error: unknown) => unread.push(error) }],
  [RequestDeadlines, { within: (run: () => unknown) => run() }],
];

it('the module of receipts resolves, and what could not be shown is told to its watch', async () => {
  const world = await withGivenParts([ReceiptModule], GIVEN).compile();
  await expect(world.get(Receipts, { strict: false }).find('1001', 'x'.repeat(24))).resolves.toBe('away');
  expect(unread).toStrictEqual([away]);
  await world.close();
});
