import { curlLine } from '../merchant/curl-line';
import { shellWord } from '../merchant/shell-word';
import { orchLine } from './orch-line';
import type { DeviceTourOrders } from './tour/device-tour';
import { PAYING_CARD } from './tour/device-visit';
import type { Request } from './tour/merchant-client';
import type { SandboxSettings } from './sandbox-settings';
import type { WholeTour } from './tour/tour';
import type { TourVisit } from './tour/tour-visit';

/** Suggested lines for a second shell in the folder of package.json, which work as they are printed. */
export const nextSteps = (
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
