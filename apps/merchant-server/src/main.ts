import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { INestApplication } from '@nestjs/common';
import { systemClock, systemScheduler } from '@app/kernel';
import { loadKeyRing, loadOrCreateKeyRing } from '@app/card-vault';
import { openEventStore } from '@app/event-store/stores';
import type { ServedMerchantServerRequest } from '@app/merchant-server';
import {
  ConfigurationFault,
  loadProducts,
  packageRoot,
  prepareDataFolder,
  type Products,
  readMerchantServerEnvironment,
} from '@app/configuration';
import {
  endOf,
  endOnUncaught,
  hardenProcess,
  LimitedExpressAdapter,
  listenAt,
  PlainExceptionFilter,
  readBuildInfo,
  runProgram,
  ServiceLog,
  stopOnSignal,
  watchProgram,
} from '@app/http-server';
import { AppModule } from './app.module';
import { MerchantMetrics } from './operator/merchant-metrics';
import { OperatorModule } from './operator.module';
import { StoreReadiness } from './store-readiness';

const SERVICE = 'merchant-server';

/** In production no token is issued for a product without a `tokenSecret`: the log shows it at the start, before the first app fails. */
const withoutTokens = ({ all }: Products): readonly string[] =>
  all.filter(({ tokenSecret }) => tokenSecret === undefined).map(({ login }) => login);

const application = async (module: Parameters<typeof NestFactory.create>[0], log: ServiceLog): Promise<INestApplication> => {
  const app = await NestFactory.create(module, new LimitedExpressAdapter(), { bodyParser: false, logger: log, abortOnError: false });
  app.useGlobalFilters(new PlainExceptionFilter(log));
  return app;
};

const start = async (): Promise<void> => {
  const environment = readMerchantServerEnvironment(process.env, packageRoot());
  hardenProcess(environment);
  const openToOthers = prepareDataFolder(environment);
  const { isProduction, host, port, operatorHost, operatorPort, keyringPath } = environment;
  const products = loadProducts(environment.configurationPath, process.env);
  const log = new ServiceLog(environment.logLevel, process.stdout, SERVICE);
  endOnUncaught(log);
  for (const fault of [...openToOthers, ...products.warnings]) log.warning('files.open-to-others', { ...fault });
  const onBroken = endOf(log, 'store.broken');
  // The log is opened before the keys: the lock of a log in a file shows whether another process runs on these files.
  const { store } = await openEventStore({ at: environment.eventStore, clock: systemClock, scheduler: systemScheduler, onBroken });
  const keyRing = isProduction ? loadKeyRing(keyringPath) : loadOrCreateKeyRing(keyringPath);
  const readiness = new StoreReadiness(store, systemScheduler, (error) => log.failure('health.store-failed', error));
  const metrics = new MerchantMetrics();
  watchProgram(metrics.registry, { prefix: 'merchant_server', build: readBuildInfo(packageRoot()), log });
  const operator = await application(OperatorModule.over({ readiness, metrics }), log);
  await listenAt(operator, { setting: 'OPERATOR_PORT', port: operatorPort, host: operatorHost });
  const onServed = (served: ServedMerchantServerRequest): void => metrics.served(served);
  const server = { products, store, keyRing, isProduction, log, onServed };
  const app = await application(AppModule.over({ server, readiness }), log);
  await listenAt(app, { setting: 'PORT', port, host });
  if (isProduction && withoutTokens(products).length > 0)
    log.warning('products.without-token-secret', { products: withoutTokens(products) });
  log.info('started', { host, port, operatorPort, products: products.all.map(({ login }) => login), node: process.version });

  stopOnSignal(log, async () => {
    await app.close();
    await store.close();
    await operator.close();
  });
};

runProgram(SERVICE, start, ConfigurationFault);
