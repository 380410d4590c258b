import { EMAIL, saleOrder } from '../../support/devices/device-orders';
import { NO_CHARGE, ThreeParties } from '../../support/devices/three-parties';
import { until } from '../../support/until';

jest.setTimeout(90_000);

/** Architecture, "Configuration": 30 s if the merchant server cannot be reached. */
const END_WITHIN_MS = 40_000;

let parties: ThreeParties;
beforeAll(async () => {
  parties = await ThreeParties.start();
});
afterAll(() => parties?.dispose());

it('an order ends PROCESSING_FAILED without a charge if the merchant server is down at the check (protocol decisions, section 8) [W426]', async () => {
  const { session } = await parties.app(EMAIL);
  const order = saleOrder();
  const invoice = await session.initiate(order);
  if (invoice.kind !== 'answered') throw new Error(`not initiated: ${invoice.kind}`);
  await parties.server.end('SIGTERM');
  const transaction = await session.perform(order, invoice.value);
  if (transaction.kind !== 'answered') throw new Error(`not performed: ${transaction.kind}`);
  const ending = await until(
    async () => {
      const asked = await session.status(transaction.value);
      return asked.kind === 'refused' && asked;
    },
    { what: 'the end of the check', timeoutMs: END_WITHIN_MS },
  );
  expect(ending).toMatchObject({ cause: 'PROCESSING_FAILED' });
  const { fields } = await parties.merchant.status({ clientOrderId: invoice.value.invoiceId });
  expect(fields).toMatchObject({ status: 'error' });
  expect(parties.charges(fields['paynet-order-id'] ?? '')).toStrictEqual(NO_CHARGE);
});
