import type { Express } from 'express';
import { LimitedExpressAdapter } from '@app/http/server';
import { withGivenParts } from '../testing/given-parts';
import { SimulatorPageModule } from './simulator-page.module';

it('the module of the simulator’s page resolves and serves it at one path', async () => {
  const adapter = new LimitedExpressAdapter();
  const module = await withGivenParts([SimulatorPageModule]).compile();
  const app = await module.createNestApplication(adapter, { bodyParser: false, logger: false }).init();
  const served = adapter.getInstance<Express>().router.stack.flatMap(({ route }) => (route === undefined ? [] : [route.path]));
  expect(new Set(served)).toStrictEqual(new Set(['/simulator/authentication/:gate/:key']));
  await app.close();
});
