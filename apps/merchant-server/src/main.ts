import 'reflect-metadata';
import { loadKeyRing, loadOrCreateKeyRing } from '@app/card-vault';
import {
  ConfigurationFault,
  loadProducts,
  packageRoot,
  prepareDataFolder,
  type Products,
  readMerchantServerEnvironment,
} from '@app/configuration';
import { openEventStore } from '@app/event-store/stores';
import {
  CLOSED_LAST,
  createApplication,
  endOf,
  hardenProcess,
  listenAt,
  readBuildInfo,
  runProgram,
  startLog,
  stopOnSignal,
  watchProgram,
} from '@app/http/server';
import { type Clock, type Instant, systemClock, systemScheduler } from '@app/kernel';
import type { ServedMerchantServerRequest } from '@app/merchant-server';
import { AppModule } from './app.module';
import { StoreReadiness } from './store-readiness';
import { MerchantMetrics } from './merchant-metrics';
import { OperatorModule } from './operator.module';

const SERVICE = 'merchant-server';

/** Production issues no token for a product without a `tokenSecret`. Logged at start, before the first app fails. */
const withoutTokenSecret = ({ all }: Products): readonly string[] =>
  all.filter(({ tokenSecret }) => tokenSecret === undefined).map(({ login }) => login);

/** With `DRIVEN_FROM`, for a demonstration's history: the parent process tells the time. */
const clockOf = (isProduction: boolean): Clock => {
  const from = process.env['DRIVEN_FROM'];
  if (from === undefined || from === '') return systemClock;
  if (isProduction) throw new Error('DRIVEN_FROM: not taken when NODE_ENV=production');
  let now = Number(from) as Instant;
  process.on('message', ({ nowMs }: { readonly nowMs: Instant }) => (now = nowMs));
  return { now: () => now };
};

const start = async (): Promise<void> => {
  const environment = readMerchantServerEnvironment(process.env, packageRoot());
  hardenProcess(environment);
  const exposedFiles = prepareDataFolder(environment);
  const { isProduction, host, port, operatorHost, operatorPort, keyringPath } = environment;
  const products = loadProducts(environment.configurationPath, process.env);
  const log = startLog(SERVICE, environment.logLevel, [...exposedFiles, ...products.warnings]);
  const stopBy = stopOnSignal(log);
  const onBroken = endOf(log, 'store.broken');
  const clock = clockOf(isProduction);
  // Open the log before the keys: the lock of a file log reveals another process on these files.
  const { store } = await openEventStore({ at: environment.eventStore, clock, scheduler: systemScheduler, onBroken });
  const keyRing = isProduction ? loadKeyRing(keyringPath) : loadOrCreateKeyRing(keyringPath);
  const readiness = new StoreReadiness(store, systemScheduler, (error) => log.failure('health.store-failed', error));
  const metrics = new MerchantMetrics();
  watchProgram(metrics.registry, { prefix: 'merchant_server', build: readBuildInfo(packageRoot()), log });
  const operator = await createApplication(OperatorModule.over({ readiness, metrics }), log, CLOSED_LAST);
  await listenAt(operator, { setting: 'OPERATOR_PORT', port: operatorPort, host: operatorHost });
  const onServed = (request: ServedMerchantServerRequest): void => metrics.served(request);
  const server = { products, store, keyRing, isProduction, clock, log, onServed };
  const app = await createApplication(AppModule.over({ server, readiness }), log);
  await listenAt(app, { setting: 'PORT', port, host });
  const withoutSecret = withoutTokenSecret(products);
  if (isProduction && withoutSecret.length > 0) log.warning('products.without-token-secret', { products: withoutSecret });
  log.info('started', { host, port, operatorPort, products: products.all.map(({ login }) => login), node: process.version });

  stopBy(async () => {
    await app.close();
    await store.close();
    await operator.close();
  });
};

runProgram(SERVICE, start, ConfigurationFault);
