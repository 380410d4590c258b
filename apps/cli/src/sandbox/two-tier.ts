import { join } from 'node:path';
import type { MerchantLogin } from '@app/kernel';
import type { CardReferenceIssued, GateTokenKept } from '@app/card-registration/events';
import type { AttemptStarted } from '@app/orders/events';
import { loadConfiguration, packageRoot, readEnvironment } from '@app/configuration';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import type { OrderStatusView } from '@app/read-models';
import { findOrder } from '../orders/find-order';
import { type OrderReaders, withReaders } from '../stores';
import { orderStory, type OrderStory } from '../orders/story';
import { type UpstreamOrder, UpstreamOrders } from '../orders/upstream';
import { poll, SandboxPrograms } from './programs';
import { type PlacedOrder, TourVisit, newVisitId, MerchantClient, TourReport } from './tour/visit';
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
import { readPrivateKey, curlLine } from '../verbs/sign';
import { type Output, StopRequest } from '../terminal';
import { MerchantSite } from './merchant-site';
import { playTour } from './played-tour';
import {
  DeviceVisit,
  securityCode,
  sourceNameOf,
  type ApprovedRun,
  arrive,
  payWithCard,
  transferBetweenCards,
  verifyCard,
} from './tour/device-tour';
import {
  orchLine,
  near,
  freePort,
  configurationWithPorts,
  freePorts,
  inheritedBySandbox,
  merchantServerSettings,
  portIn,
  portsIn,
  serviceEnvironment,
  type Environment,
  type MerchantServerSettings,
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
  report.step(
    'What both logs hold',
    'Each order as the service tells it, and below it the order of the upstream gateway that its attempt is.',
  );
  const shown = { ...orders, transfer } as TwoTierOrders;
  for (const name of [...SHOWN, 'transfer'] as const) {
    const { here, there } = await tiers.storiesOf(shown[name]);
    report.story(here, there);
  }
  return shown;
};

export interface TierSettings {
  readonly port: number;
  readonly operatorPort: number;
  readonly dataDir: string;
  readonly configurationPath: string;
  readonly environment: NodeJS.ProcessEnv;
}

interface TwoTierSettings {
  readonly service: TierSettings;
  readonly upstream: TierSettings;
  readonly merchantServer: MerchantServerSettings;
  /** Port of the merchant's site, which receives callbacks. */
  readonly callbackPort: number;
}

const TEMPLATE_PORTS = { service: 8080, merchant: 8081, callback: 8083, upstream: 8090 };
const UPSTREAM_OPERATOR_PORT = 8092;

/** Both instances store everything in files, each in a separate folder. @throws ConfigurationFault, CommandFailed as `sandboxSettings` does */
export const twoTierSettings = async (given: Environment, root: string): Promise<TwoTierSettings> => {
  const inherited = inheritedBySandbox(given);
  const servicePorts = await freePorts(portsIn(given, root));
  // If one instance's port is 0, the other's is too.
  const port = await freePort('UPSTREAM_PORT', portIn(given, 'UPSTREAM_PORT', given['PORT'] === '0' ? 0 : TEMPLATE_PORTS.upstream, root));
  const anyOperator = given['OPERATOR_PORT'] === '0' ? 0 : UPSTREAM_OPERATOR_PORT;
  const operatorPort = await freePort('UPSTREAM_OPERATOR_PORT', portIn(given, 'UPSTREAM_OPERATOR_PORT', anyOperator, root));
  const callbackPort = await freePort('CALLBACK_PORT', portIn(given, 'CALLBACK_PORT', TEMPLATE_PORTS.callback, root));
  const merchantPort = await freePort('MERCHANT_PORT', portIn(given, 'MERCHANT_PORT', TEMPLATE_PORTS.merchant, root));
  const moved = new Map([
    [TEMPLATE_PORTS.service, servicePorts.port],
    [TEMPLATE_PORTS.merchant, merchantPort],
    [TEMPLATE_PORTS.callback, callbackPort],
    [TEMPLATE_PORTS.upstream, port],
  ]);
  const dataDir = dataFolder(given, root);
  const tier = (template: string, ports: typeof servicePorts, folder: string): TierSettings => {
    const configurationPath = configurationWithPorts(join(root, 'config', 'two-tiers', template), moved, folder);
    const environment = serviceEnvironment(inherited, ports, { dataDir: folder, configurationPath });
    return { ...ports, dataDir: folder, configurationPath, environment };
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

/** `orch sandbox --upstream`: as `orch sandbox`, with a second instance of the service as the gate of the first. Resolves and throws as `sandbox` does. */
export const twoTierSandbox = async ({ isOnce }: { readonly isOnce: boolean }, output: Output): Promise<number> => {
  const root = packageRoot();
  const settings = await twoTierSettings(process.env, root);
  const { service, upstream, merchantServer, callbackPort } = settings;
  const configuration = loadConfiguration(service.configurationPath, service.environment, GATE_ADAPTERS);
  const [merchant] = configuration.accounts.merchants;
  const privateKey = readPrivateKey(join(root, 'config', 'acme.key.pem'));
  const report = new TourReport(output);
  const stop = new StopRequest();
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

const toured = (visit: TourVisit, device: DeviceVisit, { service, upstream }: TwoTierSettings): Promise<TwoTierOrders> =>
  withReaders(readEnvironment(service.environment, packageRoot()), async (readers) => {
    const upstreamOrders = await UpstreamOrders.open(upstream.dataDir, service.configurationPath);
    try {
      return await twoTierTour(new TwoTierVisit(visit, readers, upstreamOrders), device);
    } finally {
      await upstreamOrders.close();
    }
  });
