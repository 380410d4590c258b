import { join } from 'node:path';
import { loadConfiguration, packageRoot, readEnvironment } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { openOrderReaders } from '../order/order-readers';
import { UpstreamOrders } from '../order/upstream-orders';
import { readPrivateKey } from '../merchant/private-key-file';
import type { Output } from '../terminal/output';
import { StopRequest } from '../terminal/stop-request';
import { MerchantSite } from './merchant-site';
import { playTour } from './played-tour';
import { SandboxPrograms } from './sandbox-programs';
import { DeviceVisit } from './tour/device-visit';
import { MerchantClient } from './tour/merchant-client';
import { TourReport } from './tour/tour-report';
import { newVisitId, TourVisit } from './tour/tour-visit';
import { twoTierNextSteps } from './two-tier-next-steps';
import { twoTierSettings, type TwoTierSettings } from './two-tier-settings';
import { twoTierTour, type TwoTierOrders } from './two-tier-tour';
import { TwoTierVisit } from './two-tier-visit';

/**
 * `orch sandbox --upstream`: runs the built service with another instance of it as its gate, a tour through both as a merchant sees it, and then keeps
 * both for further trials. Resolves and throws as `sandbox` does.
 */
export const twoTierSandbox = async ({ isOnce }: { readonly isOnce: boolean }, output: Output): Promise<number> => {
  const root = packageRoot();
  const settings = await twoTierSettings(process.env, root);
  const { service, upstream, merchantServer, callbackPort } = settings;
  const configuration = loadConfiguration(service.configurationPath, service.environment, GATE_ADAPTERS);
  const [merchant] = configuration.accounts.merchants;
  const privateKey = readPrivateKey(join(root, 'config', 'acme.key.pem'));
  const report = new TourReport(output);
  const stop = new StopRequest();
  // The service stops first, since it still asks its gate about what it finishes.
  const programs = await SandboxPrograms.start({
    service: { title: 'tier A, the service', app: 'orchestrator', ...service },
    upstream: { title: 'tier B, the upstream gateway', app: 'orchestrator', ...upstream },
    merchantServer: { title: 'the merchant server', app: 'merchant-server', ...merchantServer },
  });
  const site = await MerchantSite.open(callbackPort, merchant.controlKey).catch(async (error: unknown) => {
    await programs.stop();
    throw error;
  });
  const siteUrl = `http://127.0.0.1:${callbackPort}`;
  const visit = new TourVisit(new MerchantClient(configuration, privateKey, report), report, site, siteUrl, newVisitId());
  const urls = { gatewayUrl: `http://127.0.0.1:${service.port}`, merchantUrl: `http://127.0.0.1:${merchantServer.port}` };
  const device = new DeviceVisit(visit, urls);
  try {
    for (const { title, port, dataDir, logPath } of [
      { ...programs.running.service, ...service },
      { ...programs.running.upstream, ...upstream },
      { ...programs.running.merchantServer, ...merchantServer },
    ])
      report.say(`${capitalised(title)}, listens on http://127.0.0.1:${port}; its data lie in ${dataDir}, its log is ${logPath}.`);
    report.say(`The merchant’s own site listens on ${siteUrl}.`);
    return await playTour(
      { programs, site, report, stop, output, isOnce },
      { play: () => toured(visit, device, settings), nextSteps: (orders) => twoTierNextSteps(visit, orders, settings, root) },
    );
  } finally {
    await device.close();
    await programs.stop();
    await site.close();
  }
};

const capitalised = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** Plays the tour with the logs of both tiers open beside it. */
const toured = async (visit: TourVisit, device: DeviceVisit, { service, upstream }: TwoTierSettings): Promise<TwoTierOrders> => {
  const readers = await openOrderReaders(readEnvironment(service.environment, packageRoot()));
  try {
    const upstreamOrders = await UpstreamOrders.open(upstream.dataDir, service.configurationPath);
    try {
      return await twoTierTour(new TwoTierVisit(visit, readers, upstreamOrders), device);
    } finally {
      await upstreamOrders.close();
    }
  } finally {
    await readers.close();
  }
};
