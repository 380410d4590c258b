import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeviceClient, HttpTransport, type DeviceSession } from '@app/device-client';
import { loadConfiguration } from '@app/configuration';
import type { ListedUnknown } from '@app/investigation';
import { GATE_ADAPTERS } from '@app/gateway-adapters/registry';
import { Secret, systemScheduler, type Instant } from '@app/kernel';
import { OperatorPort } from '../../operator-port';
import { CommandFailed } from '../../terminal';
import { readPrivateKey } from '../../verbs/sign';
import { builtProgram, ServiceProcess } from '../programs';
import { passPayerPages } from '../tour/merchant-tour';
import { type Answer, MerchantClient, type Request } from '../tour/visit';
import { DemoSite } from './demo-site';
import { type DemoSettings, STAFF, type StaffName, writeConfiguration } from './demo-settings';
import type { DemoPayer, DemoPlan, DemoStep, FollowUpStep, PaymentStep, RebillStep, ReportStep, StaffTask } from './demo-plan';
import { DrivenService } from './driven-service';

/** Enough for a gate's answer, its event and the merchant's callback. */
const AFTER_PAYMENT_MS = 1_700;
/** A gate that is silent is given up after 30 s. */
const AFTER_BAD_PAYMENT_MS = 36_000;
/** The acquirer's first inquiries. */
const AFTER_UNKNOWN_MS = 12_000;
/** A little more than the gap between two checkpoints. */
const CHECKPOINT_MS = 11_000;
const SILENT_CVVS: ReadonlySet<string> = new Set(['217', '218']);
const PAYER_WAIT_MS = 20_000;
/** So that the last payer's time and the last callbacks of the present are not cut. */
const ANSWER_TIMEOUT_MS = 60_000;

interface ListedCase {
  readonly caseId: string;
  readonly kind: string;
  readonly differences: readonly { readonly field: string }[];
}

interface Played {
  readonly step: Pick<PaymentStep, 'merchant' | 'endpoint' | 'currency'>;
  readonly clientOrderId: string;
  readonly orderId: string;
}

export interface DemoProgress {
  readonly day: number;
  readonly orders: number;
}

const amountText = (minor: number): string => (minor / 100).toFixed(2);

/** Sends the plan's requests to the service through its ports, at the plan's times. Whatever is in the store afterwards, the service decided and wrote. */
export class DemoHistory {
  readonly #played = new Map<string, Played>();
  readonly #cardRefs = new Map<string, string>();
  readonly #ports: Readonly<Record<StaffName, OperatorPort>>;
  readonly #client: MerchantClient;
  readonly #unhappened = new Map<string, number>();
  #orders = 0;
  #nextAt = 0;
  #keys = 0;

  private constructor(
    private readonly plan: DemoPlan,
    private readonly settings: DemoSettings,
    private readonly service: DrivenService,
    private readonly root: string,
  ) {
    const { configurationPath, environment, operatorPort, tokens } = settings;
    const at = { operatorHost: '127.0.0.1', operatorPort };
    this.#ports = Object.fromEntries(STAFF.map(({ name }) => [name, new OperatorPort(at, tokens[name])])) as Record<
      StaffName,
      OperatorPort
    >;
    const configuration = loadConfiguration(configurationPath, environment, GATE_ADAPTERS);
    this.#client = new MerchantClient(configuration, readPrivateKey(join(root, 'config', 'acme.key.pem')));
  }

  /**
   * @returns what did not happen as planned, by kind, with its count
   * @throws CommandFailed if a program ends
   */
  static async play(
    plan: DemoPlan,
    {
      settings,
      root,
      onProgress,
      isStopRequested,
    }: {
      readonly settings: DemoSettings;
      readonly root: string;
      readonly onProgress: (progress: DemoProgress) => void;
      readonly isStopRequested: () => boolean;
    },
  ): Promise<ReadonlyMap<string, number>> {
    writeConfiguration(settings.configurationPath, (document) => {
      for (const at of [NORTHBANK, CARDHUB]) document.deleteIn(['gates', at, 'simulate']);
      for (const at of [0, 1]) document.setIn([...SPLIT, at, 'weight'], 1);
    });
    const { environment, ...others } = settings.merchantServer;
    const merchantServerStart = { ...others, environment: { ...environment, DRIVEN_FROM: String(plan.from) } };
    const merchantServer = await ServiceProcess.start({
      title: 'the merchant server',
      app: 'merchant-server',
      hasChannel: true,
      ...merchantServerStart,
    });
    let service: DrivenService | undefined;
    let site: DemoSite | undefined;
    try {
      const driven = await DrivenService.start(settings, { from: plan.from as Instant, onTime: (nowMs) => merchantServer.send({ nowMs }) });
      service = driven;
      site = await DemoSite.open(settings.callbackPort, (path) => plan.callbackStatus(path, driven.now));
      const history = new DemoHistory(plan, settings, driven, root);
      await history.#playAll(onProgress, isStopRequested);
      return history.#unhappened;
    } finally {
      await service?.stop();
      await site?.close();
      await merchantServer.stop();
    }
  }

  async #playAll(onProgress: (progress: DemoProgress) => void, isStopRequested: () => boolean): Promise<void> {
    const { plan, service } = this;
    let hour = -1;
    for (const [at, step] of plan.steps.entries()) {
      if (isStopRequested()) throw new CommandFailed('interrupted', 130);
      const stepMs = Math.max(step.atMs, service.now);
      const now = Math.floor(stepMs / 3_600_000);
      const gates = now === hour && !plan.isBadHour(stepMs) ? undefined : plan.scriptsAt(stepMs);
      hour = now;
      this.#nextAt = plan.steps[at + 1]?.atMs ?? plan.until;
      if (stepMs > service.now || gates !== undefined) await service.wakeAt(stepMs, gates);
      await this.#play(step);
      onProgress({ day: Math.floor((service.now - plan.from) / 86_400_000) + 1, orders: this.#orders });
    }
    await service.wakeAt(plan.until);
  }

  #play(step: DemoStep): Promise<void> {
    switch (step.kind) {
      case 'payment':
        return this.#pay(step);
      case 'capture':
      case 'return':
      case 'void':
        return this.#followUp(step);
      case 'register':
        return this.#register(step.of);
      case 'rebill':
        return this.#rebill(step);
      case 'device':
        return this.#device(step.payer, step.amountMinor);
      case 'report':
        return this.#report(step);
      case 'staff':
        return this.#staff(step.task, step.of);
      case 'wait':
        return Promise.resolve();
    }
  }

  async #pay(step: PaymentStep): Promise<void> {
    const { name, operation, merchant, endpoint, currency, amountMinor, cvv, payer, goods, payerActs } = step;
    const { holder, email, cardNumber, city, country, ip } = payer;
    const clientOrderId = `${merchant}-${name}`;
    const answer = await this.#client.ask({
      operation,
      endpoint,
      fields: {
        login: merchant,
        client_orderid: clientOrderId,
        order_desc: goods,
        amount: amountText(amountMinor),
        currency,
        card_printed_name: holder,
        credit_card_number: cardNumber,
        expire_month: '12',
        expire_year: '2035',
        cvv2: cvv,
        address1: '12 Main Street',
        city,
        zip_code: '12345',
        country,
        ...(country === 'US' && { state: 'MA' }),
        email,
        phone: '+12025550123',
        ipaddress: ip,
        ...(payerActs !== undefined && { redirect_url: `http://127.0.0.1:${this.settings.callbackPort}/back` }),
      },
    });
    if (!this.#accepted(answer, 'payment')) return;
    this.#orders += 1;
    this.#played.set(name, { step, clientOrderId, orderId: answer.get('paynet-order-id') ?? '' });
    const { now } = this.service;
    const settledIn = this.plan.isBadHour(now) ? AFTER_BAD_PAYMENT_MS : SILENT_CVVS.has(cvv) ? AFTER_UNKNOWN_MS : AFTER_PAYMENT_MS;
    // The next step keeps its time, and time passes there.
    await this.service.advance(Math.max(AFTER_PAYMENT_MS, Math.min(settledIn, this.#nextAt - now)));
    if (payerActs !== undefined && payerActs !== 'leaves') await this.#authenticate(name, payerActs === 'mistypes');
  }

  async #authenticate(name: string, isMistyped: boolean): Promise<void> {
    const order = this.#played.get(name);
    if (order === undefined) return;
    const status = await this.#client.ask(this.#about('status', order));
    const url = status.get('redirect-to');
    if (url === undefined) return;
    await this.service.advance(PAYER_WAIT_MS);
    const back = `http://127.0.0.1:${this.settings.callbackPort}`;
    const pages = passPayerPages(url, { back, ...(isMistyped && { password: 'forgotten' }) });
    await this.service.pumped(pages).catch(() => this.#missed('payer’s pages'));
    await this.service.advance(AFTER_PAYMENT_MS);
  }

  #about(operation: 'status' | FollowUpStep['kind'] | 'create-card-ref', { step, clientOrderId, orderId }: Played): Request {
    return { operation, endpoint: step.endpoint, fields: { login: step.merchant, client_orderid: clientOrderId, orderid: orderId } };
  }

  async #followUp({ kind, of, amountMinor }: FollowUpStep): Promise<void> {
    const order = this.#played.get(of);
    if (order === undefined) return;
    // A shop follows up on approved orders: screening and silent gates can end any payment otherwise.
    const status = await this.#client.ask(this.#about('status', order));
    if (status.get('status') !== 'approved') return;
    const request = this.#about(kind, order);
    const amount: Readonly<Record<string, string>> =
      amountMinor === undefined ? {} : { amount: amountText(amountMinor), currency: order.step.currency };
    this.#accepted(await this.#client.ask({ ...request, fields: { ...request.fields, ...amount } }), kind);
    await this.service.advance(AFTER_PAYMENT_MS);
  }

  async #register(of: string): Promise<void> {
    const order = this.#played.get(of);
    if (order === undefined) return;
    const cardRef = (await this.#client.ask(this.#about('create-card-ref', order))).get('card-ref-id');
    if (cardRef !== undefined) this.#cardRefs.set(of, cardRef);
  }

  async #rebill({ name, of, amountMinor }: RebillStep): Promise<void> {
    const [order, cardRef] = [this.#played.get(of), this.#cardRefs.get(of)];
    if (order === undefined || cardRef === undefined) return;
    const { merchant, endpoint, currency } = order.step;
    const clientOrderId = `${merchant}-${name}`;
    const answer = await this.#client.ask({
      operation: 'make-rebill-sale',
      endpoint,
      fields: {
        client_orderid: clientOrderId,
        login: merchant,
        cardrefid: cardRef,
        order_desc: 'Subscription',
        amount: amountText(amountMinor),
        currency,
        ipaddress: '192.0.2.10',
      },
    });
    if (!this.#accepted(answer, 'rebill')) return;
    this.#orders += 1;
    this.#played.set(name, { step: order.step, clientOrderId, orderId: answer.get('paynet-order-id') ?? '' });
    await this.service.advance(AFTER_PAYMENT_MS);
  }

  /** A phone verifies a card, buys with it and sends money to another one. */
  async #device({ email, cardNumber, holder }: DemoPayer, amountMinor: number): Promise<void> {
    const client = new DeviceClient({
      gatewayUrl: `http://127.0.0.1:${this.settings.port}`,
      merchantUrl: `http://127.0.0.1:${this.settings.merchantServer.port}`,
      device: { serialNumber: `phone-${email.replaceAll(/[^a-z0-9]/g, '-')}` },
      cadence: { gapMsMin: 40, gapMsMax: 60, limitMs: 10_000, payerLimitMs: 10_000 },
      transport: new HttpTransport(systemScheduler, ANSWER_TIMEOUT_MS),
    });
    const card = {
      number: new Secret(cardNumber),
      securityCode: new Secret('123'),
      expiry: { month: 12, year: 2035 },
      holder: { printedName: holder },
    };
    const run = async (session: DeviceSession): Promise<void> => {
      const common = { currency: 'USD', email } as const;
      const ran = await session.run({ ...common, operation: 'verification', card });
      if (ran.step === 'follow') this.#orders += 1;
      await session.run({ ...common, operation: 'sale', amountCentis: BigInt(amountMinor), source: { card } });
      const destination = { card: { number: new Secret('5555444433331111') } };
      await session.run(
        { ...common, operation: 'transfer', amountCentis: BigInt(amountMinor), source: { card }, destination, toBin: '555544' },
        { chooseFee: (fees) => fees[0] },
      );
      this.#orders += 2;
    };
    try {
      const signedIn = await client.signIn({ email });
      if (signedIn.kind === 'answered') await this.service.pumped(run(signedIn.value));
      else this.#missed('device');
    } finally {
      await client.close();
    }
  }

  async #report({ of, report }: ReportStep): Promise<void> {
    const order = this.#played.get(of);
    if (order === undefined) return;
    await this.#ask('omar', `/orders/${order.orderId}/reports`, report);
  }

  async #staff(task: StaffTask, of: string | undefined): Promise<void> {
    const order = of === undefined ? undefined : this.#played.get(of);
    if (of !== undefined && order === undefined) return this.#missed(task);
    const { orderId = '', step } = order ?? {};
    const money = (amount: string) => ({ amount, currency: step?.currency ?? 'EUR', key: `demo-return-${++this.#keys}` });
    switch (task) {
      case 'hold-northbank':
        return this.#ask('omar', '/gates/northbank/hold', { reason: 'northbank does not answer; their status page confirms an outage' });
      case 'release-northbank':
        return this.#ask('omar', '/gates/northbank/hold/release', { reason: 'northbank answers again, watched for 30 minutes' });
      case 'change-weights':
        return this.#change('more volume to northbank, as agreed with its new contract', (document) =>
          document.setIn([...SPLIT, 0, 'weight'], 3),
        );
      case 'take-northbank-out':
        return this.#takeOut('northbank', NORTHBANK);
      case 'take-cardhub-out':
        return this.#takeOut('cardhub', CARDHUB);
      case 'reconcile':
        return this.#reconcile();
      case 'close-case':
        return this.#caseThat(
          ({ kind }) => kind !== 'different',
          (id) =>
            this.#ask('omar', `/reconciliation/cases/${id}/closing`, { reason: 'the acquirer corrected its file; see mail of today' }),
        );
      case 'apply-case':
        return this.#caseThat(
          ({ differences }) => differences.some(({ field }) => field === 'status'),
          (id) =>
            this.#ask('ida', `/reconciliation/cases/${id}/application`, {
              reason: 'the acquirer’s settlement is right: it confirmed by phone',
            }),
        );
      case 'approve':
        return this.#firstProposal((id) => this.#ask('ida', `/approvals/${id}/approving`, { reason: 'checked with the shop' }));
      case 'reject':
        return this.#firstProposal((id) =>
          this.#ask('ida', `/approvals/${id}/rejecting`, { reason: 'the shop has already sent a replacement' }),
        );
      case 'return-small':
        return this.#ask('omar', `/orders/${orderId}/returns`, {
          ...money('20.00'),
          reason: 'the shop’s server is down; it asked us by mail',
        });
      case 'return-large':
        return this.#ask('omar', `/orders/${orderId}/returns`, {
          ...money('215.00'),
          reason: 'the parcel was lost; the shop asks us to return the money',
        });
      case 'legal-hold':
        return this.#ask('ida', `/orders/${orderId}/hold`, { reason: 'request of the police, reference 2291/26' });
      case 'erase':
        return this.#ask('ida', `/orders/${orderId}/erasure`, {
          reason: 'the payer asked for it by mail; no dispute is possible any more',
          endsReferences: true,
        });
      case 'reveal':
        return this.#ask('jane', `/audit/orders/${orderId}/reveal`, { reason: 'dispute: compare the name with the notice' });
      case 'evidence':
        // A pack needs a checkpoint that covers the order.
        await this.service.advanceWithProofs(CHECKPOINT_MS);
        return this.#ask('jane', `/audit/orders/${orderId}/evidence`, { reason: 'pack for the acquirer’s dispute form' });
      case 'resend':
        return this.#resend();
      case 'resolve':
        return this.#resolve();
    }
  }

  async #change(reason: string, change: Parameters<typeof writeConfiguration>[1]): Promise<void> {
    writeConfiguration(this.settings.configurationPath, change);
    const { digest } = await this.#ports.ida.read<{ digest?: string }>('/configuration/check');
    await this.#ask('ida', '/configuration/apply', { reason, digest });
  }

  /** So that the simulator does not work again as soon as the month is served. */
  #takeOut(alias: string, at: number): Promise<void> {
    return this.#change(`${alias} refuses connections during its outage`, (document) =>
      document.setIn(['gates', at, 'simulate'], document.createNode({ unavailable: true })),
    );
  }

  async #reconcile(): Promise<void> {
    for (const gate of ['paylane', 'cardhub']) {
      const path = join(this.settings.dataDir, `settlement-${gate}.csv`);
      writeFileSync(path, withDifferences(await this.#orch('settlement-file', '--simulator', gate)));
      await this.#orch('reconcile', '--gate', gate, '--file', path);
    }
  }

  async #caseThat(isWanted: (one: ListedCase) => boolean, act: (id: string) => Promise<void>): Promise<void> {
    const { cases } = await this.#ports.omar.read<{ readonly cases: readonly ListedCase[] }>('/reconciliation/cases');
    const found = cases.find(isWanted);
    if (found === undefined) this.#missed('case');
    else await act(found.caseId);
  }

  async #firstProposal(act: (id: string) => Promise<void>): Promise<void> {
    const { approvals } = await this.#ports.ida.read<{ approvals: readonly { approvalId: string }[] }>('/approvals', { state: 'waiting' });
    const [found] = approvals;
    if (found === undefined) this.#missed('proposal');
    else await act(found.approvalId);
  }

  async #resend(): Promise<void> {
    const { deliveries } = await this.#ports.omar.read<{ deliveries: readonly { deliveryId: string }[] }>('/deliveries', {
      state: 'failed',
    });
    const [found] = deliveries;
    if (found === undefined) this.#missed('resend');
    else await this.#ask('omar', `/deliveries/${found.deliveryId}/resend`, { reason: 'fjord says that its server is back' });
  }

  async #resolve(): Promise<void> {
    const { orders } = await this.#ports.omar.read<Pick<ListedUnknown, 'orders'>>('/orders/unknown');
    // A follow-up would have to be named, and another gate has no outage.
    const found = orders.find(({ finalAt, gate }) => finalAt === null && gate === 'northbank');
    if (found === undefined) this.#missed('resolve');
    else
      await this.#ask('omar', `/orders/${found.orderId}/resolution`, {
        as: 'approved',
        reason: 'northbank’s support read the approval from its journal',
      });
  }

  async #ask(who: StaffName, path: string, action: object): Promise<void> {
    try {
      const asking = this.#ports[who].askAudited(path, action, ANSWER_TIMEOUT_MS);
      const { status, text } = await this.service.pumped(asking);
      if (status >= 400) this.#missed(`${path.replaceAll(/[^/]*\d[^/]*/g, '…')}: ${status} ${text.slice(0, 300)}`);
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error;
      this.#missed(`${path.replaceAll(/[^/]*\d[^/]*/g, '…')}: ${error.message}`);
    }
    await this.service.advance(AFTER_PAYMENT_MS);
  }

  /** A verb of this program, on the service that is driven. */
  async #orch(...words: readonly string[]): Promise<string> {
    const child = spawn(process.execPath, [builtProgram('cli'), ...words], {
      env: { ...this.settings.environment, ORCH_OPERATOR_TOKEN: this.settings.tokens.omar },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    await this.service.pumped(new Promise((resolve, reject) => child.once('error', reject).once('close', resolve)));
    return out;
  }

  #accepted(answer: Answer, kind: string): boolean {
    if (answer.get('type') === 'async-response') return true;
    this.#missed(`${kind}: ${answer.get('error-message') ?? 'no answer'}`);
    return false;
  }

  #missed(what: string): void {
    this.#unhappened.set(what, (this.#unhappened.get(what) ?? 0) + 1);
  }
}

/** In the list of `config/demo.yaml`. */
const [NORTHBANK, CARDHUB] = [0, 2];
/** Weights of the split at endpoint 1002. */
const SPLIT = ['merchants', 0, 'endpoints', 1, 'routing', 1, 'then', 'split'] as const;

/** The acquirer's file with its faults: one line is missing, one has another amount, one another status. It has no order that a payer left undecided. */
export const withDifferences = (csv: string): string => {
  const lines = csv.split('\n').filter((line) => !line.includes('payer-pending'));
  const approvedFrom = (share: number): number =>
    lines.findIndex((line, at) => at >= Math.max(1, Math.floor((lines.length - 2) * share)) && line.includes('approved'));
  const [missing, other, turned] = [0.3, 0.5, 0.7].map(approvedFrom);
  return lines
    .flatMap((line, at) => {
      if (at === missing) return [];
      if (at === other) return [line.replace(/(\d+)\.(\d\d)/, (_amount, major: string, minor: string) => `${Number(major) + 1}.${minor}`)];
      if (at === turned) return [line.replace('approved', 'declined')];
      return [line];
    })
    .join('\n');
};
