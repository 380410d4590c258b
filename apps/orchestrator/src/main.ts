import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { NestFactory } from '@nestjs/core';
import type { INestApplication } from '@nestjs/common';
import { ConfigurationFault, loadConfiguration, packageRoot, prepareDataFolder, readEnvironment } from '@app/configuration';
import { refusalOfConfiguredTarget } from '@app/egress';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import type { BootId } from '@app/kernel';
import { OperatorAudit } from '@app/operator-audit';
import { AppModule } from './app.module';
import { ServiceMetrics } from './operator/service-metrics';
import { readTestSwitches } from './test-switches';
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
import { operatorDoor } from './operator/operator-door';
import { OperatorPortModule } from './operator/operator-port.module';

type Root = Parameters<typeof NestFactory.create>[0];

const application = async (module: Root, log: ServiceLog): Promise<INestApplication> => {
  const app = await NestFactory.create(module, new LimitedExpressAdapter(), { bodyParser: false, logger: log, abortOnError: false });
  app.useGlobalFilters(new PlainExceptionFilter(log));
  return app;
};

const start = async (): Promise<void> => {
  const environment = readEnvironment(process.env, packageRoot());
  hardenProcess(environment);
  const openToOthers = prepareDataFolder(environment);
  const configuration = loadConfiguration(environment.configurationPath, process.env, GATE_ADAPTERS, refusalOfConfiguredTarget);
  const switches = readTestSwitches(process.env, environment.isProduction, () => process.kill(process.pid, 'SIGKILL'));
  const log = new ServiceLog(environment.logLevel);
  endOnUncaught(log);
  for (const fault of [...openToOthers, ...configuration.warnings]) log.warning('files.open-to-others', { ...fault });
  const onBroken = endOf(log, 'store.broken');
  const bootId = randomUUID() as BootId;
  const app = await application(AppModule.forRoot({ environment, configuration, switches, log, bootId, onBroken }), log);
  const metrics = app.get(ServiceMetrics);
  watchProgram(metrics.registry, { prefix: 'orchestrator', build: readBuildInfo(packageRoot()), log });
  const operator = await application(OperatorPortModule.over(app), log);
  operator.use(operatorDoor(environment, app.get(OperatorAudit, { strict: false })));
  await listenAt(operator, { setting: 'OPERATOR_PORT', port: environment.operatorPort, host: environment.operatorHost });

  if (configuration.pathPrefix !== '') {
    app.setGlobalPrefix(configuration.pathPrefix.slice(1), { exclude: ['health/live', 'health/ready'] });
  }
  await listenAt(app, { setting: 'PORT', port: environment.port, host: environment.host });
  log.info('started', {
    roles: [...environment.roles],
    host: environment.host,
    port: environment.port,
    operatorPort: environment.operatorPort,
    egressAllow: configuration.egress.allow.map(({ text }) => text),
    node: process.version,
  });

  stopOnSignal(log, async () => {
    await app.close();
    await operator.close();
  });
};

runProgram('orchestrator', start, ConfigurationFault);
