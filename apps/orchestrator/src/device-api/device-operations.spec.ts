import 'reflect-metadata';
import type { Express } from 'express';
import { Global, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { GROUP_B_OPERATIONS, type GroupBOperationName } from '@app/gateway-protocol';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS, CONFIGURATION } from '@app/configuration/configuration.module';
import { PerformVerificationHandler } from '@app/device-verification';
import { RequestDeadlines, SerialNumbers } from '@app/event-store';
import { REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { LimitedExpressAdapter } from '@app/http-server';
import { BOOT_ID, CLOCK, FAILPOINTS, RANDOM } from '@app/injection';
import { ChooseFee, OrderContexts } from '@app/order-processing';
import { PerformTransferHandler } from '@app/transfer';
import type { DeviceVerificationController } from '../device-verification/device-verification.controller';
import { DeviceVerificationApiModule } from '../device-verification/device-verification.module';
import { PayerPages } from '../payer/payer-pages';
import { RATE_LIMIT } from '../request/request.tokens';
import { KeysOfUnknownMerchants } from '../request/unknown-merchants/keys-of-unknown-merchants';
import type { TransferController } from '../transfer/transfer.controller';
import { TransferApiModule } from '../transfer/transfer.module';
import { DEVICE_API_WATCH } from './device-api.watch';
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

/** What the modules ask of others; nothing of it is called. */
const ASKED = [
  ACCOUNTS,
  BOOT_ID,
  CARD_VAULT,
  CLOCK,
  CONFIGURATION,
  DEVICE_API_WATCH,
  FAILPOINTS,
  GATES,
  RANDOM,
  RATE_LIMIT,
  REQUEST_EVENT_STORE,
  ChooseFee,
  KeysOfUnknownMerchants,
  OrderContexts,
  PayerPages,
  PerformTransferHandler,
  PerformVerificationHandler,
  RequestDeadlines,
  SerialNumbers,
];
@Global()
@Module({ providers: ASKED.map((provide) => ({ provide, useValue: {} })), exports: ASKED })
class Others {}

@Module({ imports: [Others, TransferApiModule, DeviceVerificationApiModule] })
class GroupB {}

it('the modules of Group B resolve, and serve every operation of the table at its path, once, a status before the complete transfer', async () => {
  const adapter = new LimitedExpressAdapter();
  const app = await NestFactory.create(GroupB, adapter, { bodyParser: false, logger: false, abortOnError: false });
  await app.init();
  const served = adapter.getInstance<Express>().router.stack.flatMap(({ route }) => (route === undefined ? [] : [route.path]));
  const wanted = Object.values(GROUP_B_OPERATIONS).map(({ path }) => `/${path}`);
  expect(served).toHaveLength(Object.keys(methods).length);
  expect([...served].sort()).toStrictEqual([...wanted].sort());
  const { path: completed } = GROUP_B_OPERATIONS['complete-transfer'];
  expect(served.indexOf(`/${completed}`)).toBeGreaterThan(served.indexOf(`/${GROUP_B_OPERATIONS['status-transfer'].path}`));
  await app.close();
});
