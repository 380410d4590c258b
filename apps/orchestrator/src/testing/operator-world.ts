import { createSecretKey } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import type { INestApplication, Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import type { EnvelopeCardVault, OrderKeyId } from '@app/card-vault';
import { MemoryVault, MemoryVaultStore, vaultOver } from '@app/card-vault/testing';
import { newOperatorToken, sha256OfToken, type ApprovalRules, type Merchant, type Operator, type OperatorRole } from '@app/configuration';
import { hashOf, metadataOf, StoreUnavailable, StreamCopies, type AnyEvent, type Last, type StreamName } from '@app/event-store';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { LimitedExpressAdapter } from '@app/http/server';
import {
  type ConfigurationService,
  ErasureService,
  FollowUpService,
  OperatorAccess,
  OperatorService,
  OrderNames,
  type OutcomeResolver,
} from '@app/investigation';
import { Approvals } from '@app/investigation/approvals';
import { EraseOrder, LegalHolds } from '@app/investigation/erasure';
import { isReport, OperatorAudit, operatorStream } from '@app/investigation/record';
import { noFailpoints, type CardHandle, type MerchantLogin, type NonEmpty, type OrderId, type OrderIds } from '@app/kernel';
import { OrderContexts, OrderRecorder, ReconcileOrder, RequestFollowUpHandler, ResolveUnknownOutcome } from '@app/orders';
import { paymentCodec, paymentContext, paymentStream } from '@app/payment';
import type { PaymentEvent } from '@app/payment/events';
import { CurrentOrderReader, decodeAny } from '@app/read-models/queries';
import type { OrderStatusRecord } from '@app/read-models';
import { Cases } from '@app/reconciliation';
import { attemptEvents, finalEvents, sampleOrder, samplePlan, seededIds, seededRandom, VirtualClock } from '@app/testing';
import { ApprovableActions } from '../operator/approvable-actions';
import { FourEyes } from '../operator/four-eyes';
import { ReconciliationService } from '../operator/reconciliation.service';
import { OPERATOR_LISTENER } from '../operator/operator.guard';
import { SessionCookies } from '../operator/session-cookies';

const KEY = createSecretKey(Buffer.alloc(32, 1));
const KEY_RING = {
  primaryKekId: 1,
  keks: new Map([[1, KEY]]),
  indexKeys: [{ id: 1, key: KEY }] as const,
  serviceKey: KEY,
  retired: new Set<string>(),
};
const ONLY_PAYMENTS: Pick<OrderIds, 'kindOf'> = { kindOf: () => 'payment' };
export const ORDER = sampleOrder({ plan: samplePlan({ callbacks: ['callback', 'notify'] }) });
export const STREAM = paymentStream(ORDER.merchant, ORDER.clientOrderId);

export interface Asked {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

interface RecordedEvent extends AnyEvent {
  readonly by: string;
  readonly cause: string;
}

/** The actions of operators over the real handlers, with a log in memory. */
export class OperatorWorld {
  readonly clock = new VirtualClock();
  readonly log = new MemoryEventStore(this.clock);
  readonly ids = seededIds(6);
  readonly operators: Operator[] = [];
  readonly audit = new OperatorAudit({
    store: this.log,
    clock: this.clock,
    ids: seededIds(2),
    scheduler: this.clock,
    bootId: 'boot',
    onUnwritten: () => undefined,
  });
  readonly contexts = new OrderContexts(this.log, ONLY_PAYMENTS, new StreamCopies());
  readonly orders = new CurrentOrderReader(this.log, ONLY_PAYMENTS, new StreamCopies());
  readonly accounts;
  readonly #tokens = new Map<string, string>();
  #app: INestApplication | undefined;
  #port = 0;

  private constructor(
    readonly vault: EnvelopeCardVault,
    readonly operations: Set<string>,
  ) {
    this.contexts.register(paymentContext);
    const endpoint = { operations };
    const merchant = (login: string) => ({ login, endpoints: [endpoint] }) as unknown as Merchant;
    this.accounts = { logins: ['acme', 'other'] as MerchantLogin[], merchant };
  }

  static async open(): Promise<OperatorWorld> {
    const store = new MemoryVaultStore({ vault: new MemoryVault(), keyRing: KEY_RING });
    const vault = await vaultOver({ store, keyRing: KEY_RING, clock: new VirtualClock(), random: seededRandom(3) });
    return new OperatorWorld(vault, new Set(['return', 'capture', 'void']));
  }

  get handler(): RequestFollowUpHandler {
    const { contexts, vault, clock } = this;
    const gate = { returning: {}, capturing: {}, voiding: { voidableUntil: (at: number) => at + 86_400_000 } };
    return new RequestFollowUpHandler({ contexts, gates: { find: () => gate } as never, sealer: vault, clock, failpoints: noFailpoints });
  }

  /** As far as the whole log; a read model would lag. */
  readonly operatorOrders = {
    byOrderId: async (merchants: readonly MerchantLogin[], orderId: OrderId): Promise<OrderStatusRecord | undefined> => {
      const view = orderId === ORDER.orderId ? await this.orders.ofStream(STREAM) : undefined;
      return view !== undefined && merchants.includes(view.merchant) ? ({ stream: STREAM, view } as OrderStatusRecord) : undefined;
    },
  };

  get followUps(): FollowUpService {
    const { handler, operatorOrders, orders, accounts, vault, audit } = this;
    return new FollowUpService({ handler, readModel: { operatorOrders }, orders, accounts, digests: vault, audit });
  }

  get #recorder(): OrderRecorder {
    const { contexts, clock } = this;
    return new OrderRecorder({ contexts, ids: this.ids, clock, random: seededRandom(4), scheduler: clock });
  }

  get operatorService(): OperatorService {
    const { log, operatorOrders, accounts, orders, audit, contexts, vault: sealer, clock } = this;
    const resolving = new ResolveUnknownOutcome({ contexts, recorder: this.#recorder, sealer, clock });
    const outcomes: OutcomeResolver = {
      resolve: async (stream, as, reason, by, { at } = {}) => {
        const resolved = await resolving.resolve(stream, { as, reason, by, at });
        return { reason: resolved.kind === 'resolved' ? 'resolved' : (resolved.reason as 'nothing-to-resolve' | 'order-moved') };
      },
    };
    return new OperatorService({ log, readModel: { operatorOrders } as never, accounts, orders, outcomes, audit } as never);
  }

  /** What an erasure destroyed. */
  readonly destroyed: string[] = [];

  get erasures(): ErasureService {
    const { log, operatorOrders, accounts, orders, audit, vault: sealer, clock, ids, destroyed } = this;
    const holds = new LegalHolds({ store: log, sealer, clock, ids });
    const vault = {
      takeKey: sealer.takeKey.bind(sealer),
      erase: async (keys: readonly OrderKeyId[]) => void destroyed.push(...keys),
      shred: async (_merchant: MerchantLogin, handle: CardHandle) => void destroyed.push(handle),
    };
    const { orderId, merchant, card } = ORDER;
    const data = { orderStream: STREAM, orderId, merchant, obstacles: [], texts: ['text-key' as OrderKeyId] };
    const erasableData = { of: async () => ({ ...data, cards: [{ handle: card.handle, references: [] }] }) };
    const erasing = new EraseOrder({ store: log, erasableData, vault, references: { end: async () => undefined }, clock, ids });
    return new ErasureService({ log, erasing, holds, readModel: { operatorOrders }, accounts, orders, audit, sealer } as never);
  }

  get reconciliation(): ReconciliationService {
    const { log, operatorOrders, audit, vault: sealer, clock, ids, contexts } = this;
    return new ReconciliationService({
      cases: new Cases({ store: log, sealer, clock, ids }),
      orders: new ReconcileOrder({ contexts, recorder: this.#recorder, sealer, clock } as never),
      readModel: { operatorOrders },
      gates: { find: () => ({}) },
      audit,
    } as never);
  }

  /** @param killed whether a process ends between an approval and its action */
  fourEyes(
    configuration: { readonly approvals: ApprovalRules },
    killed?: () => boolean,
    configurations: ConfigurationService = {} as never,
  ): FourEyes {
    const { log, operatorOrders, accounts, orders, audit, vault: sealer, clock, followUps } = this;
    const approvals = new Approvals({ store: log, sealer, clock, ids: this.ids, isReport });
    const reasonOf = approvals.reasonOf.bind(approvals);
    approvals.reasonOf = (proposed) => (killed?.() === true ? Promise.reject(new StoreUnavailable('killed')) : reasonOf(proposed));
    const services = {
      operators: this.operatorService,
      followUps,
      reconciliation: this.reconciliation,
      erasures: this.erasures,
      configurations,
    };
    const actions = new ApprovableActions({ ...services, readModel: { operatorOrders }, orders, accounts });
    return new FourEyes({ configuration, approvals, actions, log, audit, clock, ids: this.ids });
  }

  async append(...events: NonEmpty<PaymentEvent>): Promise<void> {
    let last: Last = 'no_stream';
    for await (const stored of this.log.read(STREAM)) last = { revision: stored.revision, hash: hashOf(stored) };
    const commandId = `c${last === 'no_stream' ? 0 : last.revision}`;
    const envelope = { correlation: 's', causation: 's', actor: 'acme', merchant: 'acme', commandId, recordedAt: this.clock.now() };
    await this.log.append(STREAM, last === 'no_stream' ? last : last.revision, paymentCodec.encode(events, STREAM, last, envelope));
  }

  /** A sale of 10.42 USD. */
  approvedOrder(): Promise<void> {
    return this.append({ type: 'OrderAccepted', data: ORDER }, attemptEvents.started(), attemptEvents.approved(), finalEvents.approved());
  }

  operator(name: string, role: OperatorRole, merchants?: readonly string[]): void {
    const token = newOperatorToken();
    this.#tokens.set(name, token);
    const limit = merchants === undefined ? {} : { merchants: merchants as readonly MerchantLogin[] };
    this.operators.push({ name, role, tokenSha256: sha256OfToken(token), ...limit });
  }

  async serve(controllers: readonly Type[], parts: readonly (readonly [unknown, unknown])[]): Promise<void> {
    const given = [
      [OPERATOR_LISTENER, { served: () => undefined }],
      [OperatorAccess, new OperatorAccess(() => this.operators, this.audit)],
      [SessionCookies, {}],
      [OrderNames, { gapOf: () => Promise.resolve({}) }],
      ...parts,
    ] as const;
    const providers = given.map(([provide, useValue]) => ({ provide: provide as Type, useValue }));
    const module = await Test.createTestingModule({ controllers: [...controllers], providers }).compile();
    this.#app = module.createNestApplication(new LimitedExpressAdapter(), { bodyParser: false, logger: false });
    await this.#app.listen(0, '127.0.0.1');
    this.#port = ((this.#app.getHttpServer() as Server).address() as AddressInfo).port;
  }

  close(): Promise<void> | undefined {
    return this.#app?.close();
  }

  async ask(name: string, path: string, action?: object): Promise<Asked> {
    const response = await fetch(`http://127.0.0.1:${this.#port}${path}`, {
      ...(action !== undefined && { method: 'POST', body: JSON.stringify(action) }),
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.#tokens.get(name) ?? ''}` },
    });
    return { status: response.status, body: JSON.parse(await response.text()) as Asked['body'] };
  }

  /** Default: the audit's stream. */
  async events(stream: StreamName = operatorStream('boot')): Promise<readonly RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for await (const stored of this.log.read(stream)) {
      const { actor, causation } = metadataOf(stored);
      const event = decodeAny(stored);
      if (event === undefined) throw new Error(`${stream}: an unknown category`);
      events.push({ ...event, by: actor, cause: causation });
    }
    return events;
  }
}
