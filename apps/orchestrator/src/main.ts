import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { INestApplication } from '@nestjs/common';
import {
  ConfigurationFault,
  loadConfiguration,
  readEnvironment,
  type Configuration,
  type OrchestratorEnvironment,
} from '@app/merchant-accounts';
import { packageRoot } from './composition/package-root';
import { Service } from './composition/service';
import { readTestSwitches } from './composition/test-switches';
import { LimitedExpressAdapter, PlainExceptionFilter, ServiceLog } from '@app/serving';
import { OperatorModule } from './operator.module';
import { PublicModule } from './public.module';

const application = async (module: Parameters<typeof NestFactory.create>[0], log: ServiceLog): Promise<INestApplication> => {
  const app = await NestFactory.create(module, new LimitedExpressAdapter(), { bodyParser: false, logger: log, abortOnError: false });
  app.useGlobalFilters(new PlainExceptionFilter(log));
  return app;
};

const operatorParts = (
  service: Service,
  { operatorHost, operatorPort }: OrchestratorEnvironment,
  { publicBaseUrl, pathPrefix }: Configuration,
): Parameters<typeof OperatorModule.over>[0] => ({
  health: service,
  metrics: service.metrics,
  desk: service.operatorDesk,
  documents: { gateway: publicBaseUrl + pathPrefix, operator: `http://${operatorHost}:${operatorPort}` },
});

const start = async (): Promise<void> => {
  const environment = readEnvironment(process.env, packageRoot());
  const configuration = loadConfiguration(environment.configurationPath, process.env);
  const switches = readTestSwitches(process.env, environment.isProduction, () => process.kill(process.pid, 'SIGKILL'));
  const log = new ServiceLog(environment.logLevel);
  // Node's own report would print what an error carries beside its message (safety, T32).
  process.on('uncaughtException', (error) => {
    log.failure('process.crashed', error);
    process.exit(1);
  });
  const onBroken = (error: Error): void => {
    log.failure('store.broken', error);
    process.exit(1);
  };
  const service = await Service.open({ environment, configuration, switches, log, onBroken });
  const operator = await application(OperatorModule.over(operatorParts(service, environment, configuration)), log);
  await operator.listen(environment.operatorPort, environment.operatorHost);

  const isApi = environment.roles.has('api');
  const app = await application(isApi ? PublicModule.over(service.publicParts) : PublicModule.withHealthAlone(service), log);
  if (configuration.pathPrefix !== '') {
    app.setGlobalPrefix(configuration.pathPrefix.slice(1), { exclude: ['health/live', 'health/ready'] });
  }
  await service.start();
  await app.listen(environment.port, environment.host);
  log.info('started', {
    roles: [...environment.roles],
    host: environment.host,
    port: environment.port,
    operatorPort: environment.operatorPort,
    egressAllow: configuration.egress.allow.map(({ text }) => text),
    node: process.version,
  });

  let isStopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (isStopping) return;
    isStopping = true;
    log.info('stopping', { signal });
    service.standDown();
    await app.close();
    await service.stop();
    await operator.close();
    log.info('stopped');
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      stop(signal).catch((error: unknown) => {
        log.failure('stop.failed', error);
        process.exit(1);
      });
    });
  }
};

start().catch((error: unknown) => {
  const text =
    error instanceof ConfigurationFault ? error.message : `orchestrator: ${error instanceof Error ? error.message : String(error)}`;
  process.stderr.write(`${text}\n`);
  process.exit(1);
});
