import { join, resolve } from 'node:path';
import { loadConfiguration, packageRoot } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { systemClock } from '@app/kernel';
import { CommandFailed, counted, EXIT, StopRequest, withProgress, type Output } from '../../terminal';
import { OperatorPort } from '../../operator-port';
import { MerchantSite } from '../merchant-site';
import { SandboxPrograms } from '../programs';
import { consoleLink, orchLine } from '../settings';
import { DemoHistory } from './demo-history';
import { DEMO_DAYS, demoPlan } from './demo-plan';
import { demoSettings, type DemoSettings, saveStore, STAFF, storeIn } from './demo-settings';

const ORDERS = { default: 3_000, min: 20, max: 20_000 };
const SEED_DEFAULT = 1;

export interface DemoOptions {
  readonly orders?: string | undefined;
  readonly seed?: string | undefined;
  readonly isOnce: boolean;
}

const wholeNumber = (
  name: string,
  text: string | undefined,
  { min, max }: { readonly min: number; readonly max: number },
): number | undefined => {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^\d{1,9}$/.test(text) && number >= min && number <= max) return number;
  throw new CommandFailed(`--${name} must be a whole number from ${min} to ${max}`, EXIT.usage);
};

/**
 * `orch sandbox --demo`: fills a new data folder with a month of orders, or opens one that it filled before; then runs the service on it
 * until the user or a program ends it. Resolves with the exit code.
 * @throws CommandFailed, ConfigurationFault
 */
export const demoSandbox = async (options: DemoOptions, output: Output): Promise<number> => {
  const root = packageRoot();
  if (process.env['ESDB_URL']) throw new CommandFailed('--demo fills files only: unset ESDB_URL', EXIT.usage);
  const orders = wholeNumber('orders', options.orders, ORDERS);
  const seed = wholeNumber('seed', options.seed, { min: 0, max: 999_999_999 });
  const dataDir = process.env['DATA_DIR'] ? resolve(process.env['DATA_DIR']) : join(root, 'data', 'demo');
  const store = storeIn(dataDir);
  if (store !== undefined && ((orders ?? store.orders) !== store.orders || (seed ?? store.seed) !== store.seed))
    throw new CommandFailed(
      `${dataDir} holds a demonstration of ${store.orders} orders with seed ${store.seed}. Set DATA_DIR to another folder, or omit --orders and --seed`,
      EXIT.refused,
    );
  const settings = await demoSettings(process.env, dataDir, root);
  const stop = new StopRequest();
  if (store === undefined) await fill({ orders: orders ?? ORDERS.default, seed: seed ?? SEED_DEFAULT, settings, root, stop }, output);
  else output.line(said(output, `${dataDir} holds a demonstration of ${store.orders} orders that ends at ${store.until}.`));
  return options.isOnce ? 0 : serve(settings, root, stop, output);
};

const said = (output: Output, text: string): string => (output.isJson ? JSON.stringify({ kind: 'note', text }) : text);

interface Filling {
  readonly orders: number;
  readonly seed: number;
  readonly settings: DemoSettings;
  readonly root: string;
  readonly stop: StopRequest;
}

const fill = async ({ orders, seed, settings, root, stop }: Filling, output: Output): Promise<void> => {
  const { dataDir } = settings;
  const startedAt = systemClock.now();
  const until = startedAt;
  const store = { orders, seed, until: new Date(until).toISOString() };
  output.line(said(output, `Filling ${dataDir} with ${orders} orders over ${DEMO_DAYS} days, up to now.`));
  saveStore(dataDir, { state: 'filling', ...store });
  const missed = await withProgress(output, (display) =>
    DemoHistory.play(demoPlan({ orders, seed, until }), {
      settings,
      root,
      isStopRequested: () => stop.isRequested,
      onProgress: ({ day, orders: placed }) => display.update(() => `day ${day} of ${DEMO_DAYS}, ${counted(placed, 'order')}`),
    }),
  );
  saveStore(dataDir, { state: 'filled', ...store });
  for (const [what, count] of missed) output.problem(`did not happen as planned (${count}): ${what}`);
  output.line(said(output, `Filled in ${Math.round((systemClock.now() - startedAt) / 1_000)} s.`));
};

/** Results are kept by the process that made them, so that one of the filling would be lost. */
const startWhatIf = ({ operatorPort, tokens }: DemoSettings): Promise<unknown> =>
  new OperatorPort({ operatorHost: '127.0.0.1', operatorPort }, tokens.jane).ask('/what-ifs', {
    rules: JSON.stringify({
      merchants: [
        { login: 'acme', endpoints: [{ id: '1002', routing: [{ name: 'paylane-first', then: { cascade: ['paylane', 'northbank'] } }] }] },
        { login: 'lumen', endpoints: [{ id: '3001', screening: { perCard: { count: 2, hours: 24 } } }] },
      ],
    }),
  });

const serve = async (settings: DemoSettings, root: string, stop: StopRequest, output: Output): Promise<number> => {
  const { configurationPath, environment, merchantServer, callbackPort, port, operatorPort, dataDir } = settings;
  const { accounts } = loadConfiguration(configurationPath, environment, GATE_ADAPTERS);
  const programs = await SandboxPrograms.start([
    { title: 'the service', app: 'orchestrator', ...settings },
    { title: 'the merchant server', app: 'merchant-server', ...merchantServer },
  ]);
  let site: MerchantSite | undefined;
  try {
    site = await MerchantSite.open(callbackPort, accounts.merchants[0].controlKey);
    await startWhatIf(settings).catch((error: unknown) => output.problem(`no what-if was started: ${String(error)}`));
    if (output.isJson) {
      output.line(
        JSON.stringify({
          kind: 'serving',
          url: `http://127.0.0.1:${port}`,
          operatorUrl: `http://127.0.0.1:${operatorPort}`,
          consoleUrl: consoleLink(settings, root),
          dataDir,
        }),
      );
    } else {
      output.line(`The console: ${consoleLink(settings, root)} (opens once, within 15 minutes)`);
      output.line(`The service listens on http://127.0.0.1:${port}, its operator port on http://127.0.0.1:${operatorPort}.`);
      const people = STAFF.map(({ name, role }) => `${name} (${role})`).join(', ');
      output.line(`Its operators are ${people}; their tokens are in ${join(dataDir, 'demo-operators.json')}.`);
      output.line('In a second shell:');
      const orch = orchLine(settings, root);
      for (const verb of ['unknown', 'deliveries --failed', 'list --limit 20']) output.line(`  ${orch(verb)}`);
      output.line('Ctrl-C stops it. A later start with the same DATA_DIR opens the same history.');
    }
    const ended = await Promise.race([stop.requested, programs.ended()]);
    if (ended === undefined || stop.isRequested) return 0;
    throw ended;
  } finally {
    await programs.stop();
    await site?.close();
  }
};
