import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { systemClock, systemScheduler } from '@app/kernel';
import { loadKeyRing, loadOrCreateKeyRing } from '@app/card-vault';
import { openEventStore } from '@app/event-store/stores';
import { ConfigurationFault, loadProducts, packageRoot, type Products, readMerchantServerEnvironment } from '@app/merchant-accounts';
import { endOf, endOnUncaught, LimitedExpressAdapter, PlainExceptionFilter, runProgram, ServiceLog, stopOnSignal } from '@app/serving';
import { MerchantServerModule } from './merchant-server.module';
import { StoreReadiness } from './store-readiness';

const SERVICE = 'merchant-server';

/** In production nobody gets a token of a product without a `tokenSecret`: said at the start, not by the first app that fails. */
const withoutTokens = ({ all }: Products): readonly string[] =>
  all.filter(({ tokenSecret }) => tokenSecret === undefined).map(({ login }) => login);

const start = async (): Promise<void> => {
  const environment = readMerchantServerEnvironment(process.env, packageRoot());
  const { isProduction, host, port, keyringPath } = environment;
  const products = loadProducts(environment.configurationPath, process.env);
  const log = new ServiceLog(environment.logLevel, process.stdout, SERVICE);
  endOnUncaught(log);
  const onBroken = endOf(log, 'store.broken');
  // The log before the keys: a log in a file has a lock that says whether another process runs on these files.
  const { store } = await openEventStore({ at: environment.eventStore, clock: systemClock, scheduler: systemScheduler, onBroken });
  const keyRing = isProduction ? loadKeyRing(keyringPath) : loadOrCreateKeyRing(keyringPath);
  const readiness = new StoreReadiness(store, systemScheduler, (error) => log.failure('health.store-failed', error));
  const app = await NestFactory.create(
    MerchantServerModule.over({ desk: { products, store, keyRing, isProduction, log }, readiness }),
    new LimitedExpressAdapter(),
    { bodyParser: false, logger: log, abortOnError: false },
  );
  app.useGlobalFilters(new PlainExceptionFilter(log));
  await app.listen(port, host);
  if (isProduction && withoutTokens(products).length > 0)
    log.warning('products.without-token-secret', { products: withoutTokens(products) });
  log.info('started', { host, port, products: products.all.map(({ login }) => login), node: process.version });

  stopOnSignal(log, async () => {
    await app.close();
    await store.close();
  });
};

runProgram(SERVICE, start, ConfigurationFault);
