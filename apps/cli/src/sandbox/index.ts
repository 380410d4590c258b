import { join } from 'node:path';
import { loadConfiguration, packageRoot, readEnvironment } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { paymentStream } from '@app/payment';
import { transferStream } from '@app/transfer';
import type { ClientOrderId, MerchantLogin } from '@app/kernel';
import { openOrderReaders } from '../order/order-readers';
import { orderStory } from '../order/order-story';
import { readPrivateKey } from '../merchant/private-key-file';
import type { Output } from '../terminal/output';
import { StopRequest } from '../terminal/stop-request';
import { MerchantSite } from './merchant-site';
import { nextSteps } from './next-steps';
import { playTour } from './played-tour';
import { SandboxPrograms } from './sandbox-programs';
import { sandboxSettings, type SandboxSettings } from './sandbox-settings';
import { deviceTour } from './tour/device-tour';
import { DeviceVisit } from './tour/device-visit';
import { MerchantClient } from './tour/merchant-client';
import { tour, type WholeTour } from './tour/tour';
import { TourReport } from './tour/tour-report';
import { newVisitId, TourVisit } from './tour/tour-visit';

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
  const programs = await startPrograms(settings);
  const site = await MerchantSite.open(settings.callbackPort, merchant.controlKey).catch(async (error: unknown) => {
    await programs.stop();
    throw error;
  });
  const siteUrl = `http://127.0.0.1:${settings.callbackPort}`;
  const visit = new TourVisit(new MerchantClient(configuration, privateKey, report), report, site, siteUrl, newVisitId());
  const urls = { gatewayUrl: `http://127.0.0.1:${settings.port}`, merchantUrl: `http://127.0.0.1:${settings.merchantServer.port}` };
  const device = new DeviceVisit(visit, urls);
  const { service, merchantServer } = programs.running;
  try {
    report.say(`The service listens on ${urls.gatewayUrl}; its data lie in ${settings.dataDir}, its log is ${service.logPath}.`);
    report.say(`The merchant server listens on ${urls.merchantUrl}; its log is ${merchantServer.logPath}.`);
    report.say(`The merchant’s own site listens on ${siteUrl}.`);
    return await playTour(
      { programs, site, report, stop, output, isOnce },
      {
        play: async () => {
          const toured = { ...(await tour(visit)), device: await deviceTour(device) };
          await showStories(toured, settings, report);
          return toured;
        },
        nextSteps: (toured) => nextSteps(visit, toured, settings, root),
      },
    );
  } finally {
    await device.close();
    await programs.stop();
    await site.close();
  }
};

/** The gateway stops first, since it still notifies the merchant server of what it finishes. */
const startPrograms = ({
  environment,
  dataDir,
  port,
  merchantServer,
}: SandboxSettings): Promise<SandboxPrograms<'service' | 'merchantServer'>> =>
  SandboxPrograms.start({
    service: { title: 'the service', app: 'orchestrator', environment, dataDir, port },
    merchantServer: { title: 'the merchant server', app: 'merchant-server', ...merchantServer },
  });

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
