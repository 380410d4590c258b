import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { INestApplication } from '@nestjs/common';
import { ConfigurationFault, loadConfiguration, packageRoot, prepareDataFolder, readEnvironment } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { refusalOfConfiguredTarget } from '@app/egress';
import { OperatorAudit } from '@app/operator-audit';
import { BridgeOModule } from './composition/bridge-o.module';
import { Service } from './composition/service';
import { readTestSwitches } from './composition/test-switches';
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
import { DocumentsModule } from './documents/documents.module';
import { operatorDoor } from './operator/operator-door';
import { OperatorModule } from './operator/operator.module';
import { OperatorPortModule } from './operator/operator-port.module';
import { PublicModule } from './public.module';

const application = async (module: Parameters<typeof NestFactory.create>[0], log: ServiceLog): Promise<INestApplication> => {
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
  const service = await Service.open({ environment, configuration, switches, log, onBroken });
  watchProgram(service.metrics.registry, { prefix: 'orchestrator', build: readBuildInfo(packageRoot()), log });
  const container = await NestFactory.createApplicationContext(
    BridgeOModule.over(service.bridged, [OperatorModule, DocumentsModule.forRoot(false)]),
    {
      logger: log,
      abortOnError: false,
    },
  );
  const operator = await application(OperatorPortModule.over(container), log);
  operator.use(operatorDoor(environment, container.get(OperatorAudit)));
  await listenAt(operator, { setting: 'OPERATOR_PORT', port: environment.operatorPort, host: environment.operatorHost });

  const isApi = environment.roles.has('api');
  const app = await application(isApi ? PublicModule.over(service.publicParts) : PublicModule.withHealthAlone(service), log);
  if (configuration.pathPrefix !== '') {
    app.setGlobalPrefix(configuration.pathPrefix.slice(1), { exclude: ['health/live', 'health/ready'] });
  }
  await service.start();
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
    service.standDown();
    await app.close();
    await container.close();
    await service.stop();
    await operator.close();
  });
};

runProgram('orchestrator', start, ConfigurationFault);
