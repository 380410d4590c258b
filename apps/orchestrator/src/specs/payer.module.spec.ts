import type { Express } from 'express';
import { LimitedExpressAdapter } from '@app/http/server';
import { PayerModule } from '@app/orders/http/payer/payer.module';
import { withGivenParts } from '../testing/given-parts';

it('the payer module resolves and serves the payer’s pages', async () => {
  const adapter = new LimitedExpressAdapter();
  const module = await withGivenParts([PayerModule]).compile();
  const app = await module.createNestApplication(adapter, { bodyParser: false, logger: false }).init();
  const served = adapter.getInstance<Express>().router.stack.flatMap(({ route }) => (route === undefined ? [] : [route.path]));
  expect(new Set(served)).toStrictEqual(new Set(['/payer/:link', '/payer/:stream/:key/return']));
  await app.close();
});
