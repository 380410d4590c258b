import { packageRoot, readEnvironment } from '@app/configuration';
import { paymentStream } from '@app/payment';
import { transferStream } from '@app/transfer';
import type { ClientOrderId, MerchantLogin } from '@app/kernel';
import { curlLine, shellWord } from '../verbs/sign';
import { consoleLink, orchLine, type SandboxSettings, sandboxSettings } from './settings';
import { changeConfiguration } from './tour/operator-tour';
import { type DeviceTourOrders, deviceTour, PAYING_CARD } from './tour/device-tour';
import type { Request, TourReport, TourVisit } from './tour/visit';
import { type WholeTour, tour } from './tour/merchant-tour';
import { orderStory } from '../orders/story';
import type { Output } from '../terminal';
import { playTour } from './played-tour';
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
    ['the console, which this link opens once, within 15 minutes', consoleLink(settings, root)],
  ];
};

const deviceArguments = ({ port, merchantServer }: SandboxSettings, { serialNumber, email, clientCardId }: DeviceTourOrders): string =>
  [
    `--gateway http://127.0.0.1:${port} --merchant http://127.0.0.1:${merchantServer.port}`,
    `--serial ${shellWord(serialNumber)} --email ${shellWord(email)} --card ${shellWord(clientCardId)} --currency USD`,
  ].join(' ');

/** `orch sandbox`: runs the service on test gates and the merchant server, plays a tour over HTTP, then keeps both running. Resolves and throws as `playTour` does. */
export const sandbox = async (mode: { readonly isOnce: boolean }, output: Output): Promise<number> => {
  const root = packageRoot();
  const settings = await sandboxSettings(process.env, root);
  const { merchantServer, callbackPort } = settings;
  return playTour(
    {
      programs: [
        // The gateway stops first, since it still notifies the merchant server of finished orders.
        { title: 'the service', app: 'orchestrator', ...settings },
        { title: 'the merchant server', app: 'merchant-server', ...merchantServer },
      ],
      service: settings,
      callbackPort,
      play: async (visit, device) => {
        const toured = { ...(await tour(visit)), device: await deviceTour(device) };
        await changeConfiguration(visit, settings);
        await showStories(toured, settings, visit.report);
        return toured;
      },
      nextSteps: (visit, toured) => nextSteps(visit, toured, settings, root),
    },
    mode,
    output,
  );
};

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
