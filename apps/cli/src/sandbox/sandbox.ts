import { join } from 'node:path';
import { loadConfiguration, packageRoot, readEnvironment } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { paymentStream } from '@app/payment';
import { transferStream } from '@app/transfer';
import type { ClientOrderId, MerchantLogin } from '@app/kernel';
import { curlLine, shellWord, readPrivateKey } from '../verbs/sign';
import { orchLine, type SandboxSettings, sandboxSettings } from './settings';
import { type DeviceTourOrders, deviceTour, PAYING_CARD, DeviceVisit } from './tour/device-tour';
import { type Request, MerchantClient, TourVisit, newVisitId, TourReport } from './tour/visit';
import { type WholeTour, tour } from './tour/merchant-tour';
import { orderStory } from '../orders/story';
import { type Output, StopRequest } from '../terminal';
import { MerchantSite } from './merchant-site';
import { playTour } from './played-tour';
import { SandboxPrograms } from './programs';
import { withReaders } from '../stores';

const nextSteps = (
  visit: TourVisit,
  { sale, secure, cardRefId, device }: WholeTour,
  settings: SandboxSettings,
  root: string,
): readonly (readonly [purpose: string, line: string])[] => {
  const payment = visit.sale('yours', { endpoint: '1001', cvv2: '123', server_callback_url: `${visit.siteUrl}/callback` });
  const rebill: Request = {
    operation: 'make-rebill-sale',
    endpoint: '1001',
    fields: {
      client_orderid: visit.clientOrderId('yours-again'),
      login: visit.login,
      cardrefid: cardRefId,
      order_desc: 'Once more',
      amount: '7.25',
      currency: 'USD',
      ipaddress: '192.0.2.10',
    },
  };
  const named = { login: visit.login, client_orderid: payment.fields['client_orderid'] ?? '' };
  const curl = (request: Request): string => curlLine(visit.client.sign(request));
  const orch = orchLine(settings, root);
  const statusArguments = [`client_orderid=${sale.clientOrderId}`, `orderid=${sale.orderId}`].map(shellWord).join(' ');
  return [
    ['a payment of your own; sent again as it is, it stays one order', curl(payment)],
    ['how it went, by the merchant’s own order id', curl({ operation: 'status', endpoint: '1001', fields: named })],
    ['the registered card once more', curl(rebill)],
    [
      'the same kind of line for any request, signed by the configuration’s key',
      `${orch('sign status')} --endpoint 1001 login=${visit.login} ${statusArguments} --curl`,
    ],
    ['how the 3-D Secure payment came to be what it is', orch(`show ${secure.orderId}`)],
    [
      'the device once more, with the card that it knows by name',
      `npm run -s orch -- device sale ${deviceArguments(settings, device)} --amount 3.20`,
    ],
    [
      'a card of your own in its hands; the CVV decides what the simulator does',
      `npm run -s orch -- device verify ${deviceArguments(settings, { ...device, clientCardId: PAYING_CARD })} --expiry 12/2035 --holder 'JOHN SMITH' --cvv 123`,
    ],
    [
      'the service’s health and its figures',
      `curl -sS http://127.0.0.1:${settings.operatorPort}/health/ready http://127.0.0.1:${settings.operatorPort}/metrics`,
    ],
  ];
};

const deviceArguments = ({ port, merchantServer }: SandboxSettings, { serialNumber, email, clientCardId }: DeviceTourOrders): string =>
  [
    `--gateway http://127.0.0.1:${port} --merchant http://127.0.0.1:${merchantServer.port}`,
    `--serial ${shellWord(serialNumber)} --email ${shellWord(email)} --card ${shellWord(clientCardId)} --currency USD`,
  ].join(' ');

/**
 * `orch sandbox`: runs the service on test gates and the merchant server, plays a tour over HTTP, then keeps both running.
 * Exit code: 0, 1 if a claim did not hold, 130 if the tour was interrupted. @throws CommandFailed if a port is taken or a program does not start
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

/** The gateway stops first, since it still notifies the merchant server of finished orders. */
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
  await withReaders(readEnvironment(environment, packageRoot()), async (readers) => {
    const merchant = 'acme' as MerchantLogin;
    const payments = [sale, secure, unknown, cascade].map(({ clientOrderId }) => paymentStream(merchant, clientOrderId as ClientOrderId));
    for (const stream of [...payments, transferStream(merchant, device.invoiceId as ClientOrderId)])
      report.story(await orderStory(readers, stream));
  });
};
