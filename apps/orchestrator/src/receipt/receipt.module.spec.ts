import 'reflect-metadata';
import { Global, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ACCOUNTS } from '@app/configuration/configuration.module';
import { RequestDeadlines, StoreUnavailable } from '@app/event-store';
import { REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { SCHEDULER } from '@app/injection';
import { CurrentOrderReader } from '@app/order-queries';
import { READ_MODEL } from '@app/projections/projections.tokens';
import { RECEIPT_WATCH, ReceiptModule } from './receipt.module';
import { Receipts } from './receipts';

const unread: unknown[] = [];
const away = new StoreUnavailable('away');
const ASKED = [
  [ACCOUNTS, { entryPoint: () => ({}), merchant: () => undefined }],
  [READ_MODEL, { search: { streamsNamed: () => Promise.reject(away) } }],
  [RECEIPT_WATCH, { unread: (error: unknown) => unread.push(error) }],
  [RequestDeadlines, { within: (run: () => unknown) => run() }],
  ...[CurrentOrderReader, REQUEST_EVENT_STORE, SCHEDULER].map((part) => [part, {}] as const),
] as const;
@Global()
@Module({ providers: ASKED.map(([provide, useValue]) => ({ provide, useValue })), exports: ASKED.map(([part]) => part) })
class Others {}

@Module({ imports: [Others, ReceiptModule] })
class World {}

it('the module of receipts resolves, and what could not be shown is told to its watch', async () => {
  const world = await NestFactory.createApplicationContext(World, { logger: false, abortOnError: false });
  await expect(world.get(Receipts, { strict: false }).find('1001', 'x'.repeat(24))).resolves.toBe('away');
  expect(unread).toStrictEqual([away]);
  await world.close();
});
