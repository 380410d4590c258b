import { join } from 'node:path';
import { loadConfiguration, packageRoot, readEnvironment } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { paymentStream } from '@app/payment';
import { transferStream } from '@app/transfer';
import type { ClientOrderId, MerchantLogin } from '@app/kernel';
import { CommandFailed, EXIT } from '../command-failed';
import { openOrderReaders } from '../order/order-readers';
import { orderStory } from '../order/order-story';
import { readPrivateKey } from '../signing/private-key-file';
import type { Output } from '../terminal/output';
import { StopRequest } from '../terminal/stop-request';
import { MerchantSite } from './merchant-site';

import { nextSteps } from './next-steps';
import { SandboxPrograms } from './sandbox-programs';
import { sandboxSettings, type SandboxSettings } from './sandbox-settings';
import { deviceTour } from './tour/device-tour';
import { DeviceVisit } from './tour/device-visit';
import { MerchantClient } from './tour/merchant-client';
import { tour, type WholeTour } from './tour/tour';
import { TourReport } from './tour/tour-report';
import { TourFailed, TourVisit } from './tour/tour-visit';

const INTERRUPTED = 130;
/** After a failed request the end of its program is noticed within this time. */
const ENDING_MS = 1_000;

/**
 * `orch sandbox`: runs the built service on test gates and the built merchant server, a tour of them over HTTP as a merchant and a device see it, and
 * then keeps both for further trials. Resolves with the exit code when all has stopped: 0, 1 where a claim of the tour did not hold, 130 where the
 * tour was interrupted. @throws CommandFailed where a port is taken or a program does not start
 */
export const sandbox = async ({ isOnce }: { readonly isOnce: boolean }, output: Output): Promise<number> => {
  const root = packageRoot();
  const settings = await sandboxSettings(process.env, root);
  const configuration = loadConfiguration(settings.configurationPath, settings.environment, GATE_ADAPTERS);
  const [merchant] = configuration.accounts.merchants;
  const privateKey = readPrivateKey(join(root, 'config', 'acme.key.pem'));
  const report = new TourReport(output);
  const stop = new StopRequest();
  const programs = await SandboxPrograms.start(settings);
  const site = await MerchantSite.open(settings.callbackPort, merchant.controlKey).catch(async (error: unknown) => {
    await programs.stop();
    throw error;
  });
  const siteUrl = `http://127.0.0.1:${settings.callbackPort}`;
  const visitId = `tour-${Date.now().toString(36)}`;
  const visit = new TourVisit(new MerchantClient(configuration, privateKey, report), report, site, siteUrl, visitId);
  const urls = { gatewayUrl: `http://127.0.0.1:${settings.port}`, merchantUrl: `http://127.0.0.1:${settings.merchantPort}` };
  const device = new DeviceVisit(visit, urls);
  try {
    report.say(`The service listens on ${urls.gatewayUrl}; its data lie in ${settings.dataDir}, its log is ${programs.service.logPath}.`);
    report.say(`The merchant server listens on ${urls.merchantUrl}; its log is ${programs.merchantServer.logPath}.`);
    report.say(`The merchant’s own site listens on ${siteUrl}.`);
    const toured = await Promise.race([wholeTour(visit, device), interruption(stop, programs)]);
    await showStories(toured, settings, report);
    report.say('\nAll came out as told.');
    if (isOnce) return 0;
    return await stayUp(visit, toured, settings, root, { programs, stop });
  } catch (error) {
    if (stop.isRequested) return INTERRUPTED;
    if (!(error instanceof TourFailed)) throw (await programs.endedWithin(ENDING_MS)) ?? error;
    output.problem(`the tour stops here: this did not hold: ${error.message}`);
    return 1;
  } finally {
    await device.close();
    await programs.stop();
    await site.close();
  }
};

const wholeTour = async (visit: TourVisit, device: DeviceVisit): Promise<WholeTour> => ({
  ...(await tour(visit)),
  device: await deviceTour(device),
});

/** Ends the tour when the user stops it or a program ends. */
const interruption = async (stop: StopRequest, programs: SandboxPrograms): Promise<never> => {
  throw (await Promise.race([stop.requested, programs.ended()])) ?? new CommandFailed('interrupted', EXIT.interrupted);
};

const showStories = async (
  { sale, secure, unknown, cascade, device }: WholeTour,
  { environment }: SandboxSettings,
  report: TourReport,
): Promise<void> => {
  report.step('What the log holds', 'Every order is its events, and nothing else. Here are five of them.');
  const readers = await openOrderReaders(readEnvironment(environment, packageRoot()));
  try {
    const merchant = 'acme' as MerchantLogin;
    const payments = [sale, secure, unknown, cascade].map(({ clientOrderId }) => paymentStream(merchant, clientOrderId as ClientOrderId));
    for (const stream of [...payments, transferStream(merchant, device.invoiceId as ClientOrderId)]) {
      report.story(await orderStory(readers, stream));
    }
  } finally {
    await readers.close();
  }
};

const stayUp = async (
  visit: TourVisit,
  toured: WholeTour,
  settings: SandboxSettings,
  root: string,
  { programs, stop }: { readonly programs: SandboxPrograms; readonly stop: StopRequest },
): Promise<number> => {
  const { report, site } = visit;
  report.step('Your turn', 'Both programs stay up. Paste these into a second shell in this folder; Ctrl-C here stops it.');
  for (const [purpose, line] of nextSteps(visit, toured, settings, root)) report.command(purpose, line);
  site.onCallback(({ webhookId, members, isAuthentic }) => {
    report.answer(`callback ${webhookId}${isAuthentic ? '' : ', with a wrong control: refused'}`, members);
  });
  const ended = await Promise.race([stop.requested, programs.ended()]);
  if (ended === undefined || stop.isRequested) return 0;
  throw ended;
};
