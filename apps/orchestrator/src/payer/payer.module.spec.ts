import 'reflect-metadata';
import type { Express } from 'express';
import { Global, Module, type INestApplication, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS } from '@app/configuration/configuration.module';
import { RequestDeadlines } from '@app/event-store';
import { LimitedExpressAdapter } from '@app/http-server';
import { SCHEDULER } from '@app/injection';
import { ReturnPayer } from '@app/order-processing';
import { CurrentOrderReader } from '@app/order-queries';
import { PAYER_WATCH, PayerModule } from './payer.module';
import { SIMULATOR_PAGES } from './simulator-page.controller';

/** What the module asks of others; nothing of it is called. */
const ASKED = [ACCOUNTS, CARD_VAULT, PAYER_WATCH, SCHEDULER, SIMULATOR_PAGES, CurrentOrderReader, RequestDeadlines, ReturnPayer];
@Global()
@Module({ providers: ASKED.map((provide) => ({ provide, useValue: {} })), exports: ASKED })
class Others {}

@Module({ imports: [Others, PayerModule] })
class World {}

const started = async (world: Type<object>, adapter: LimitedExpressAdapter): Promise<INestApplication> => {
  const app = await NestFactory.create(world, adapter, { bodyParser: false, logger: false, abortOnError: false });
  return app.init();
};

it('the module of payers resolves, and serves their pages', async () => {
  const adapter = new LimitedExpressAdapter();
  const app = await started(World, adapter);
  const served = adapter.getInstance<Express>().router.stack.flatMap(({ route }) => (route === undefined ? [] : [route.path]));
  expect(new Set(served)).toStrictEqual(new Set(['/payer/:place', '/payer/:stream/:key/return', '/simulator/authentication/:gate/:key']));
  await app.close();
});
