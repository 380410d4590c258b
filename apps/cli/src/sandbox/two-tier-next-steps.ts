import { curlLine } from '../merchant/curl-line';
import type { TourVisit } from './tour/tour-visit';
import { orchLine, near } from './orch-line';
import type { TwoTierSettings } from './two-tier-settings';
import type { TwoTierOrders } from './two-tier-tour';

/** Suggested lines for a second shell in the folder of package.json, which work as they are printed. */
export const twoTierNextSteps = (
  visit: TourVisit,
  { declined, secure, open, rebilled, transfer }: TwoTierOrders,
  { service, upstream }: TwoTierSettings,
  root: string,
): readonly (readonly [purpose: string, line: string])[] => {
  const orch = orchLine(service, root);
  const there = near(root, upstream.dataDir);
  const payment = visit.sale('yours', { endpoint: '1001', cvv2: '123', server_callback_url: `${visit.siteUrl}/callback` });
  const yours = payment.fields['client_orderid'] ?? '';
  const show = (order: string): string => orch(`show ${order} --follow-upstream ${there}`);
  return [
    ['a payment of your own, through both tiers', curlLine(visit.client.sign(payment))],
    ['its story at both, from both logs', show(yours)],
    ['why a payment was declined: the reason is the upstream gateway’s gate’s', show(declined.orderId)],
    ['the payer of this one was at the pages of the upstream gateway', show(secure.orderId)],
    ['this one was open for a while', show(open.orderId)],
    ['the recurrent payment, charged by the token of the upstream gateway', show(rebilled.orderId)],
    ['the transfer of the app, whose fee the upstream gateway offered', show(transfer.clientOrderId)],
    [
      'how the gates do, by the calls of the service',
      `curl -sS http://127.0.0.1:${service.operatorPort}/metrics | grep ^orchestrator_gate_`,
    ],
    [
      'the logs of both, each line below the name of its file',
      `tail -F ${[service, upstream].map(({ dataDir }) => near(root, `${dataDir}/service.log`)).join(' ')}`,
    ],
  ];
};
