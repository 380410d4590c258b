import type { Express } from 'express';
import { GROUP_B_OPERATIONS, type GroupBOperationName } from '@app/gateway-protocol';
import { LimitedExpressAdapter } from '@app/http-server';
import type { DeviceVerificationController } from '../device-verification/device-verification.controller';
import { DeviceVerificationApiModule } from '../device-verification/device-verification.module';
import { withGivenParts } from '../testing/given-parts';
import type { TransferController } from '../transfer/transfer.controller';
import { TransferApiModule } from '../transfer/transfer.module';
import type { Serves } from './device-operation.decorator';

/** Does not compile where an operation of the table has no method, or two. */
type Controllers = DeviceVerificationController & TransferController;
type Twice = keyof DeviceVerificationController & keyof TransferController;
const methods: {
  readonly [Name in keyof Serves<GroupBOperationName>]: Name extends Twice
    ? never
    : Controllers[Name] extends Serves<GroupBOperationName>[Name]
      ? true
      : never;
} = {
  performVerification: true,
  performSale: true,
  performTransfer: true,
  statusVerification: true,
  statusSale: true,
  statusTransfer: true,
  completeTransfer: true,
};

it('the modules of Group B resolve, and serve every operation of the table at its path, once, a status before the complete transfer', async () => {
  const adapter = new LimitedExpressAdapter();
  const module = await withGivenParts([TransferApiModule, DeviceVerificationApiModule]).compile();
  const app = module.createNestApplication(adapter, { bodyParser: false, logger: false });
  await app.init();
  const served = adapter.getInstance<Express>().router.stack.flatMap(({ route }) => (route === undefined ? [] : [route.path]));
  const wanted = Object.values(GROUP_B_OPERATIONS).map(({ path }) => `/${path}`);
  expect(served).toHaveLength(Object.keys(methods).length);
  expect([...served].sort()).toStrictEqual([...wanted].sort());
  const { path: completed } = GROUP_B_OPERATIONS['complete-transfer'];
  expect(served.indexOf(`/${completed}`)).toBeGreaterThan(served.indexOf(`/${GROUP_B_OPERATIONS['status-transfer'].path}`));
  await app.close();
});
