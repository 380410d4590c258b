import { join } from 'node:path';
import type { MerchantLogin } from '@app/kernel';
import type { CardReferenceIssued, GateTokenKept } from '@app/card-registration/events';
import type { AttemptStarted } from '@app/orders/events';
import { packageRoot, readEnvironment } from '@app/configuration';
import type { OrderStatusView } from '@app/read-models';
import { findOrder } from '../orders/find-order';
import { type OrderReaders, withReaders } from '../stores';
import { orderStory, type OrderStory } from '../orders/story';
import { type UpstreamOrder, UpstreamOrders } from '../orders/upstream';
import { poll } from './programs';
import type { PlacedOrder, TourVisit } from './tour/visit';
import {
  approvedPayment,
  authenticatedPayment,
  declinedPayment,
  merchantCallback,
  partialReturn,
  preauthAndCapture,
  voidedSale,
  recurrentPayment,
  registration,
} from './tour/merchant-tour';
import { curlLine } from '../verbs/sign';
import type { Output } from '../terminal';
import { playTour } from './played-tour';
import {
  type DeviceVisit,
  securityCode,
  sourceNameOf,
  type ApprovedRun,
  arrive,
  payWithCard,
  transferBetweenCards,
  verifyCard,
} from './tour/device-tour';
import {
  consoleLink,
  orchLine,
  shownPath,
  freePort,
  configurationWithPorts,
  inheritedBySandbox,
  merchantServerSettings,
  portIn,
  serviceSettings,
  tourPorts,
  type Environment,
  type SandboxSettings,
  type ServiceSettings,
  dataFolder,
} from './settings';

const LOOK_TIMEOUT_MS = 20_000;

type NamedOrder = Pick<PlacedOrder, 'clientOrderId'>;

interface BothStories {
  readonly here: OrderStory;
  readonly there: readonly UpstreamOrder[];
}

class TwoTierVisit {
  constructor(
    readonly visit: TourVisit,
    private readonly readers: OrderReaders,
    private readonly upstreamOrders: UpstreamOrders,
  ) {}

  async storiesOf({ clientOrderId }: NamedOrder): Promise<BothStories> {
    const merchant = this.visit.login as MerchantLogin;
    const [stream] = await findOrder(this.readers, clientOrderId, [merchant], 'client_orderid');
    if (stream === undefined) throw new Error(`the log has no order ${clientOrderId}`);
    const here = await orderStory(this.readers, stream);
    return { here, there: await this.upstreamOrders.of(here) };
  }

  async found<Found>(order: NamedOrder, find: (stories: BothStories) => Found | undefined): Promise<Found | undefined> {
    return poll(LOOK_TIMEOUT_MS, async () => find(await this.storiesOf(order)));
  }

  async upstreamWhen(order: NamedOrder, isAwaited: (there: OrderStory) => boolean): Promise<OrderStory | undefined> {
    return this.found(order, ({ there }) => {
      const [one, ...more] = there;
      return one?.story !== undefined && more.length === 0 && isAwaited(one.story) ? one.story : undefined;
    });
  }

  async claimSame(order: NamedOrder): Promise<void> {
    const { here } = await this.storiesOf(order);
    const same = await this.upstreamWhen(order, ({ view }) => view?.status === here.view?.status && view?.stage === here.view?.stage);
    const orderId = same?.view?.orderId ?? '';
    this.visit.claim(
      `the upstream gateway has it as its order ${orderId}, ${here.view?.status} (${here.view?.stage}) as here`,
      same !== undefined,
    );
  }
}

interface Facts {
  readonly AttemptStarted: AttemptStarted['data'];
  readonly CardReferenceIssued: CardReferenceIssued['data'];
  readonly GateTokenKept: GateTokenKept['data'];
}

const factIn = <Type extends keyof Facts>({ events }: OrderStory, type: Type): Facts[Type] | undefined => {
  const found = events.find((one) => one.isReadable && one.event.type === type);
  return found?.isReadable ? (found.event.data as Facts[Type]) : undefined;
};

const registeredCard = async (tiers: TwoTierVisit, sale: PlacedOrder): Promise<PlacedOrder> => {
  const visit: TourVisit = tiers.visit;
  const cardRefId = await registration(visit, sale);
  const token = await tiers.found(sale, ({ here }) => factIn(here, 'GateTokenKept')?.token);
  visit.claim('the upstream gateway was asked for a token of its own, which is kept', token !== undefined);
  const issued = await tiers.upstreamWhen(sale, (there) => factIn(there, 'CardReferenceIssued')?.cardRefId === token);
  visit.claim('it is the card reference that its log has of this order', issued !== undefined && token !== cardRefId);
  const { order } = await recurrentPayment(visit, cardRefId);
  visit.claim('approved', (await visit.final(order)).get('status') === 'approved');
  const { here } = await tiers.storiesOf(order);
  visit.claim('charged by the token, without the card’s number', factIn(here, 'AttemptStarted')?.chargedBy === 'token');
  const charged = await tiers.upstreamWhen(order, ({ view }) => view?.cardRefId === token);
  visit.claim('there it is a recurrent payment of that card reference', charged !== undefined);
  return order;
};

type OrdersSoFar = Readonly<Partial<Record<string, PlacedOrder>>>;

/** Resolves with the order that must be the same at both tiers afterwards. */
type TwoTierStep = (tiers: TwoTierVisit, before: OrdersSoFar) => Promise<PlacedOrder>;

const verification = async (visit: TourVisit): Promise<PlacedOrder> => {
  visit.report.step('Account verification', 'A card is checked, and no money moves at either tier.');
  const { operation: _sale, fields, ...request } = visit.sale('verified', { endpoint: '1001', cvv2: '123' });
  const { amount: _amount, currency: _currency, ...unpriced } = fields;
  const order = await visit.place({ ...request, operation: 'account-verification', fields: unpriced });
  visit.claim('approved', (await visit.final(order)).get('status') === 'approved');
  return order;
};

const openOutcome: TwoTierStep = async (tiers) => {
  const visit: TourVisit = tiers.visit;
  visit.report.step(
    'An outcome that stays open',
    'With the CVV 217 the acquirer falls silent after it took the money. The upstream gateway does not know the outcome, and so nobody does.',
  );
  const order = await visit.place(visit.sale('open', { endpoint: '1001', cvv2: '217' }));
  const open = await tiers.upstreamWhen(order, ({ events }) => events.some(({ stored }) => stored.type === 'AttemptUnknown'));
  visit.claim('the upstream gateway recorded that it does not know', open !== undefined);
  const status = await visit.final(order);
  visit.claim('its inquiry found the money, and both tiers say approved', status.get('status') === 'approved');
  return order;
};

const saleOf = ({ sale }: OrdersSoFar): PlacedOrder => {
  if (sale === undefined) throw new Error('this step needs the sale of a step before');
  return sale;
};

const TWO_TIER_STEPS: Readonly<Record<string, TwoTierStep>> = {
  sale: async ({ visit }) => {
    const sale = await approvedPayment(visit);
    await merchantCallback(visit, sale);
    return sale;
  },
  declined: ({ visit }) => declinedPayment(visit),
  secure: ({ visit }) => authenticatedPayment(visit),
  open: openOutcome,
  rebilled: (tiers, before) => registeredCard(tiers, saleOf(before)),
  captured: ({ visit }) => preauthAndCapture(visit),
  returned: ({ visit }, before) => partialReturn(visit, saleOf(before)),
  voided: ({ visit }) => voidedSale(visit),
  verified: ({ visit }) => verification(visit),
};

/** The order of a run is identified by its invoice. */
const claimSame = async (tiers: TwoTierVisit, { invoiceId }: ApprovedRun): Promise<NamedOrder> => {
  const order = { clientOrderId: invoiceId };
  await tiers.claimSame(order);
  const mapped = await tiers.upstreamWhen(order, ({ view }) => view !== undefined && view.mapped !== null);
  tiers.visit.claim('there it is an order of an app too, which this service speaks for', mapped !== undefined);
  return order;
};

const commissionOf = (view: OrderStatusView | undefined): string | null => view?.commissionMinor ?? null;

/** App orders through both tiers. Resolves with the transfer. */
const deviceOrders = async (tiers: TwoTierVisit, device: DeviceVisit): Promise<NamedOrder> => {
  const session = await arrive(device);
  const verified = await verifyCard(device, session);
  await claimSame(tiers, verified);
  const clientCardId = sourceNameOf(verified);
  await claimSame(tiers, await payWithCard(device, session, clientCardId));
  // The upstream gateway accepts app orders only with a CVV.
  const source = { reference: { clientCardId, securityCode: securityCode() } };
  const transfer = await claimSame(tiers, await transferBetweenCards(device, session, source));
  const { here } = await tiers.storiesOf(transfer);
  const held = commissionOf(here.view);
  const agreed = await tiers.upstreamWhen(transfer, ({ view }) => held !== null && commissionOf(view) === held);
  tiers.visit.claim('the fee was offered by the upstream gateway, which holds the same', agreed !== undefined);
  return transfer;
};

const SHOWN = ['sale', 'declined', 'secure', 'open', 'rebilled', 'captured'] as const;

type TwoTierOrders = Readonly<Record<(typeof SHOWN)[number], PlacedOrder> & { readonly transfer: NamedOrder }>;

/** Plays all steps; each must have the same result at both tiers. @throws TourFailed at the first claim that does not hold */
const twoTierTour = async (tiers: TwoTierVisit, device: DeviceVisit): Promise<TwoTierOrders> => {
  const orders: Record<string, PlacedOrder> = {};
  for (const [name, step] of Object.entries(TWO_TIER_STEPS)) {
    const order = await step(tiers, orders);
    await tiers.claimSame(order);
    orders[name] = order;
  }
  const transfer = await deviceOrders(tiers, device);
  const { report } = tiers.visit;
  report.step('What both logs hold', 'Each order of the service, and below it the matching order of the upstream gateway.');
  const shown = { ...orders, transfer } as TwoTierOrders;
  for (const name of [...SHOWN, 'transfer'] as const) {
    const { here, there } = await tiers.storiesOf(shown[name]);
    report.story(here, there);
  }
  return shown;
};

interface TwoTierSettings extends Pick<SandboxSettings, 'merchantServer' | 'callbackPort'> {
  readonly service: ServiceSettings;
  readonly upstream: ServiceSettings;
}

const UPSTREAM_PORTS = { port: 8090, operatorPort: 8092 };

/** Both instances store everything in files, each in a separate folder. @throws ConfigurationFault, CommandFailed as `sandboxSettings` does */
export const twoTierSettings = async (given: Environment, root: string): Promise<TwoTierSettings> => {
  const inherited = inheritedBySandbox(given);
  const { servicePorts, merchantPort, callbackPort, moved } = await tourPorts(given, root);
  // If one instance's port is 0, the other's is too.
  const upstreamPort = (variable: string, of: string, otherwise: number): Promise<number> =>
    freePort(variable, portIn(given, variable, given[of] === '0' ? 0 : otherwise, root));
  const port = await upstreamPort('UPSTREAM_PORT', 'PORT', UPSTREAM_PORTS.port);
  const operatorPort = await upstreamPort('UPSTREAM_OPERATOR_PORT', 'OPERATOR_PORT', UPSTREAM_PORTS.operatorPort);
  const dataDir = dataFolder(given, root);
  const tier = (template: string, ports: typeof servicePorts, folder: string): ServiceSettings => {
    const all = new Map([...moved, [UPSTREAM_PORTS.port, port]]);
    const configurationPath = configurationWithPorts(join(root, 'config', 'two-tiers', template), all, folder);
    return serviceSettings(inherited, ports, folder, configurationPath);
  };
  return {
    service: tier('service.yaml', servicePorts, dataDir),
    upstream: tier('upstream.yaml', { port, operatorPort }, join(dataDir, 'upstream')),
    merchantServer: merchantServerSettings(inherited, merchantPort, dataDir, root),
    callbackPort,
  };
};

const twoTierNextSteps = (
  visit: TourVisit,
  { declined, secure, open, rebilled, transfer }: TwoTierOrders,
  { service, upstream }: TwoTierSettings,
  root: string,
): readonly (readonly [purpose: string, line: string])[] => {
  const orch = orchLine(service, root);
  const there = shownPath(root, upstream.dataDir);
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
      `tail -F ${[service, upstream].map(({ dataDir }) => shownPath(root, `${dataDir}/service.log`)).join(' ')}`,
    ],
    ['the console of tier A, which this link opens once, within 15 minutes', consoleLink(service, root)],
  ];
};

/** `orch sandbox --upstream`: as `orch sandbox`, with a second instance of the service as the gate of the first. Resolves and throws as `playTour` does. */
export const twoTierSandbox = async (mode: { readonly isOnce: boolean }, output: Output): Promise<number> => {
  const root = packageRoot();
  const settings = await twoTierSettings(process.env, root);
  const { service, upstream, merchantServer, callbackPort } = settings;
  return playTour(
    {
      programs: [
        { title: 'tier A (the service)', app: 'orchestrator', ...service },
        { title: 'tier B (the upstream gateway)', app: 'orchestrator', ...upstream },
        { title: 'the merchant server', app: 'merchant-server', ...merchantServer },
      ],
      service,
      callbackPort,
      play: (visit, device) => toured(visit, device, settings),
      nextSteps: (visit, orders) => twoTierNextSteps(visit, orders, settings, root),
    },
    mode,
    output,
  );
};

const toured = (visit: TourVisit, device: DeviceVisit, { service, upstream }: TwoTierSettings): Promise<TwoTierOrders> =>
  withReaders(readEnvironment(service.environment, packageRoot()), async (readers) => {
    const upstreamOrders = await UpstreamOrders.open(upstream.dataDir, service.configurationPath);
    try {
      return await twoTierTour(new TwoTierVisit(visit, readers, upstreamOrders), device);
    } finally {
      await upstreamOrders.close();
    }
  });
