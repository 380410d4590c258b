import type { Express } from 'express';
import { GROUP_B_OPERATIONS, type GroupBOperationName } from '@app/gateway-protocol';
import { LimitedExpressAdapter } from '@app/http/server';
import type { DeviceVerificationController } from '@app/device-verification/http/device-verification.controller';
import { DeviceVerificationApiModule } from '@app/device-verification/device-verification.module';
import type { TransferController } from '@app/transfer/http/transfer.controller';
import { TransferApiModule } from '@app/transfer/transfer.module';
import type { ServesDevices } from '@app/http/group-b';
import { withGivenParts } from '../testing/given-parts';

/** Does not compile if an operation has no method, or two. */
type Controllers = DeviceVerificationController & TransferController;
type ServedByBoth = keyof DeviceVerificationController & keyof TransferController;
const methods: {
  readonly [Name in keyof ServesDevices<GroupBOperationName>]: Name extends ServedByBoth
    ? never
    : Controllers[Name] extends ServesDevices<GroupBOperationName>[Name]
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

it('the Group B modules serve every operation once at its path and route the transfer status before completion', async () => {
  const adapter = new LimitedExpressAdapter();
  const module = await withGivenParts([TransferApiModule, DeviceVerificationApiModule]).compile();
  const app = module.createNestApplication(adapter, { bodyParser: false, logger: false });
  await app.init();
  const servedPaths = adapter.getInstance<Express>().router.stack.flatMap(({ route }) => (route === undefined ? [] : [route.path]));
  const tablePaths = Object.values(GROUP_B_OPERATIONS).map(({ path }) => `/${path}`);
  expect(servedPaths).toHaveLength(Object.keys(methods).length);
  expect([...servedPaths].sort()).toStrictEqual([...tablePaths].sort());
  const positionOf = (name: GroupBOperationName): number => servedPaths.indexOf(`/${GROUP_B_OPERATIONS[name].path}`);
  expect(positionOf('complete-transfer')).toBeGreaterThan(positionOf('status-transfer'));
  await app.close();
});
