import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { ConfigurationFault, loadConfiguration, packageRoot, prepareDataFolder, readEnvironment } from '@app/configuration';
import { refusalOfConfiguredTarget } from '@app/http/client';
import { BackgroundThrottle } from '@app/event-store';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import {
  CLOSED_LAST,
  closingOnFailure,
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
import type { BootId } from '@app/kernel';
import { OperatorAudit } from '@app/investigation/record';
import { AppModule } from './app.module';
import { ServiceMetrics } from './monitoring/service-metrics';
import { checkOperatorCaller } from './operator/operator-caller.middleware';
import { OperatorPortModule } from './operator/operator-port.module';
import { projectingProgram } from './worker/running-work';
import { readTestSwitches } from './test-switches';

const SERVICE = 'orchestrator';

const start = async (): Promise<void> => {
  const environment = readEnvironment(process.env, packageRoot());
  hardenProcess(environment);
  const exposedFiles = prepareDataFolder(environment);
  const configuration = loadConfiguration(environment.configurationPath, process.env, GATE_ADAPTERS, refusalOfConfiguredTarget);
  const switches = readTestSwitches(process.env, environment.isProduction, () => process.kill(process.pid, 'SIGKILL'));
  const log = startLog(SERVICE, environment.logLevel, [...exposedFiles, ...configuration.warnings]);
  for (const { alias, adapter } of configuration.accounts.gates)
    if (environment.isProduction && adapter === 'simulator') log.warning('gate.simulated', { gate: alias });
  const stopBy = stopOnSignal(log);
  const onBroken = endOf(log, 'store.broken');
  const bootId = randomUUID() as BootId;
  const { keepAliveMs } = configuration;
  // A driven process projects by itself: it waits for its own work before time moves on.
  const projectingThread = switches.driven === undefined ? projectingProgram(environment, configuration.retention) : undefined;
  const settings = { environment, configuration, switches, log, bootId, onBroken, projectingThread };
  const app = await createApplication(AppModule.forRoot(settings), log, { keepAliveMs });
  const operator = await closingOnFailure(app, async () => {
    const metrics = app.get(ServiceMetrics);
    watchProgram(metrics.registry, { prefix: 'orchestrator', build: readBuildInfo(packageRoot()), log });
    const operatorPort = await createApplication(OperatorPortModule.over(app), log, { ...CLOSED_LAST, keepAliveMs });
    operatorPort.use(checkOperatorCaller(environment, app.get(OperatorAudit, { strict: false })));
    await listenAt(operatorPort, { setting: 'OPERATOR_PORT', port: environment.operatorPort, host: environment.operatorHost });

    if (configuration.pathPrefix !== '') {
      app.setGlobalPrefix(configuration.pathPrefix.slice(1), { exclude: ['health/live', 'health/ready'] });
    }
    if (environment.roles.has('worker')) {
      const throttle = app.get(BackgroundThrottle, { strict: false });
      (app.getHttpServer() as Server).on('request', () => throttle.requestCame());
    }
    await listenAt(app, { setting: 'PORT', port: environment.port, host: environment.host });
    return operatorPort;
  });
  log.info('started', {
    roles: [...environment.roles],
    host: environment.host,
    port: environment.port,
    operatorPort: environment.operatorPort,
    egressAllow: configuration.egress.allow.map(({ text }) => text),
    node: process.version,
  });

  stopBy(async () => {
    await app.close();
    await operator.close();
  });
};

runProgram(SERVICE, start, ConfigurationFault);
