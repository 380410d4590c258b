import type { Express } from 'express';
import { LimitedExpressAdapter } from '@app/http-server';
import { SimulatorPageModule } from '../gates/simulator-page.module';
import { withGivenParts } from '../testing/given-parts';
import { PayerModule } from './payer.module';

it('the modules of payer and simulator resolve and serve the pages of an authentication', async () => {
  const adapter = new LimitedExpressAdapter();
  const module = await withGivenParts([PayerModule, SimulatorPageModule]).compile();
  const app = await module.createNestApplication(adapter, { bodyParser: false, logger: false }).init();
  const served = adapter.getInstance<Express>().router.stack.flatMap(({ route }) => (route === undefined ? [] : [route.path]));
  expect(new Set(served)).toStrictEqual(new Set(['/payer/:link', '/payer/:stream/:key/return', '/simulator/authentication/:gate/:key']));
  await app.close();
});
