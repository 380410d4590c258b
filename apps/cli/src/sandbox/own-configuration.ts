import { basename, extname, join, resolve } from 'node:path';
import { refusalOfConfiguredTarget } from '@app/http/client';
import { loadConfiguration, packageRoot } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { CommandFailed, asJson, type Output, StopRequest } from '../terminal';
import { shellWord } from '../verbs/sign';
import { consoleLink, freePorts, inheritedBySandbox, portsIn, serviceSettings, type Environment, type ServiceSettings } from './settings';
import { ServiceProcess } from './programs';

interface OwnSettings extends ServiceSettings {
  readonly merchants: readonly string[];
  /** Who then sign in with their own tokens. */
  readonly hasOperators: boolean;
}

/** @throws ConfigurationFault with every fault of the file; CommandFailed for a port that is taken */
export const ownSettings = async (path: string, given: Environment, root: string): Promise<OwnSettings> => {
  const inherited = inheritedBySandbox(given);
  const configured = portsIn(given, root);
  const configurationPath = resolve(path);
  const { accounts, operators } = loadConfiguration(configurationPath, inherited, GATE_ADAPTERS, refusalOfConfiguredTarget);
  const ports = await freePorts(configured);
  // Named after the file, so that its orders are kept between runs. A tour uses a new folder each time.
  const dataDir = given['DATA_DIR'] ? resolve(given['DATA_DIR']) : join(root, 'data', basename(path, extname(path)));
  return {
    ...serviceSettings(inherited, ports, dataDir, configurationPath),
    merchants: accounts.logins,
    hasOperators: operators.length > 0,
  };
};

/** `orch sandbox --config <file>`: the built service on the given configuration, embedded and without a tour, until Ctrl-C. Resolves with the exit code. @throws CommandFailed, ConfigurationFault */
export const serveOwn = async (path: string, { isOnce }: { readonly isOnce: boolean }, output: Output): Promise<number> => {
  const settings = await ownSettings(path, process.env, packageRoot());
  const { port, dataDir, environment, merchants, hasOperators } = settings;
  const stop = new StopRequest();
  const service = await ServiceProcess.start({ title: 'the service', app: 'orchestrator', environment, dataDir, port });
  try {
    const url = `http://127.0.0.1:${port}`;
    const setting = `DATA_DIR=${shellWord(dataDir)} ORCH_CONFIG=${shellWord(resolve(path))} OPERATOR_PORT=${environment['OPERATOR_PORT']}`;
    if (output.isJson) output.line(asJson({ kind: 'serving', url, dataDir, merchants, log: service.logPath }));
    else {
      output.line(`The service listens on ${url} for ${merchants.join(', ')}; its data are in ${dataDir}, its log is ${service.logPath}.`);
      const address = hasOperators ? `http://127.0.0.1:${settings.operatorPort}/console` : consoleLink(settings, packageRoot());
      output.line(`The console: ${address}${hasOperators ? '' : ' (opens once, within 15 minutes)'}`);
      output.line('In a second shell, with the variables that the configuration takes from the environment:');
      for (const verb of ['listen', 'show <order>']) output.line(`  ${setting} npm run -s orch -- ${verb}`);
      output.line('Ctrl-C stops it.');
    }
    if (isOnce) return 0;
    const ended = await Promise.race([stop.requested, service.ended]);
    if (ended === undefined || stop.isRequested) return 0;
    throw new CommandFailed(`the service ended with code ${ended}; its log is ${service.logPath}`);
  } finally {
    await service.stop();
  }
};
