import { join } from 'node:path';
import { loadConfiguration, readEnvironment } from '@app/merchant-accounts';
import { paymentStream } from '@app/payment';
import type { ClientOrderId, MerchantLogin } from '@app/kernel';
import { packageRoot } from '../../../orchestrator/src/composition/package-root';
import { CommandFailed } from '../command-failed';
import { openOrderReaders } from '../order/order-readers';
import { orderStory } from '../order/order-story';
import { readPrivateKey } from '../signing/private-key-file';
import type { Output } from '../terminal/output';
import { StopWish } from '../terminal/stop-wish';
import { MerchantClient } from './merchant-client';
import { MerchantSite } from './merchant-site';
import { nextSteps } from './next-steps';
import { sandboxSettings, type SandboxSettings } from './sandbox-settings';
import { ServiceProcess } from './service-process';
import { tour, type Toured } from './tour';
import { TourReport } from './tour-report';
import { TourFailed, TourVisit } from './tour-visit';

const INTERRUPTED = 130;
/** Between a request that finds nobody and the news that the service is gone. */
const ENDING_MS = 1_000;

/**
 * `orch sandbox`: the built service on test gates, a tour of it over HTTP as a merchant sees it, and then the service for whoever wants to try
 * more. Resolves with the exit code when all is stopped again: 0, 1 where a step did not come out as told, 130 where the tour was interrupted.
 * @throws CommandFailed where a port is taken or the service does not start
 */
export const sandbox = async ({ isOnce }: { readonly isOnce: boolean }, output: Output): Promise<number> => {
  const root = packageRoot();
  const settings = await sandboxSettings(process.env, root);
  const configuration = loadConfiguration(settings.configurationPath, settings.environment);
  const [merchant] = configuration.accounts.merchants;
  const report = new TourReport(output);
  const wish = new StopWish();
  const service = await ServiceProcess.start(settings);
  const site = await MerchantSite.open(settings.callbackPort, merchant.controlKey).catch(async (error: unknown) => {
    await service.stop();
    throw error;
  });
  const siteUrl = `http://127.0.0.1:${settings.callbackPort}`;
  const visitId = `tour-${Date.now().toString(36)}`;
  const privateKey = readPrivateKey(join(root, 'config', 'acme.key.pem'));
  const visit = new TourVisit(new MerchantClient(configuration, privateKey, report), report, site, siteUrl, visitId);
  try {
    report.say(
      `The service listens on http://127.0.0.1:${settings.port}; its data lie in ${settings.dataDir}, its log is ${service.logPath}.`,
    );
    report.say(`The merchant’s own site listens on ${siteUrl}.`);
    const toured = await Promise.race([tour(visit), interruption(wish, service)]);
    await tellStories(toured, settings, report);
    report.say('\nAll came out as told.');
    if (isOnce) return 0;
    return await stayUp(visit, toured, settings, root, { service, wish });
  } catch (error) {
    if (wish.isWished) return INTERRUPTED;
    if (!(error instanceof TourFailed)) throw await causeOf(error, service);
    output.problem(`the tour stops here: this did not hold: ${error.message}`);
    return 1;
  } finally {
    await site.close();
    await service.stop();
  }
};

/** A request that failed because there is nobody left to answer it. */
const causeOf = async (error: unknown, service: ServiceProcess): Promise<unknown> => {
  const code = await service.endedWithin(ENDING_MS);
  return code === undefined ? error : serviceEnded(service, code);
};

const serviceEnded = ({ logPath }: ServiceProcess, code: number): CommandFailed =>
  new CommandFailed(`the service ended with code ${code}; its log is ${logPath}`);

/** Ends the tour from outside: by the person who watches, or by the service. */
const interruption = async (wish: StopWish, service: ServiceProcess): Promise<never> => {
  const code = await Promise.race([wish.wished, service.ended]);
  throw code === undefined ? new CommandFailed('interrupted') : serviceEnded(service, code);
};

const tellStories = async (
  { sale, secure, unknown, cascade }: Toured,
  { environment }: SandboxSettings,
  report: TourReport,
): Promise<void> => {
  report.step('What the log holds', 'Every order is its events, and nothing else. Here are four of them.');
  const readers = await openOrderReaders(readEnvironment(environment, packageRoot()));
  try {
    for (const { clientOrderId } of [sale, secure, unknown, cascade]) {
      report.story(await orderStory(readers, paymentStream('acme' as MerchantLogin, clientOrderId as ClientOrderId)));
    }
  } finally {
    await readers.close();
  }
};

const stayUp = async (
  visit: TourVisit,
  toured: Toured,
  settings: SandboxSettings,
  root: string,
  { service, wish }: { readonly service: ServiceProcess; readonly wish: StopWish },
): Promise<number> => {
  const { report, site } = visit;
  report.step('Your turn', 'The service stays up. Paste these into a second shell in this folder; Ctrl-C here stops it.');
  for (const [purpose, line] of nextSteps(visit, toured, settings, root)) report.command(purpose, line);
  site.onCallback(({ webhookId, members, isAuthentic }) => {
    report.answer(`callback ${webhookId}${isAuthentic ? '' : ', with a wrong control: refused'}`, members);
  });
  const code = await Promise.race([wish.wished, service.ended]);
  if (code === undefined || wish.isWished) return 0;
  throw serviceEnded(service, code);
};
