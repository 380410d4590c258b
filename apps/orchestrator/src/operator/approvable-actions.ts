import type { Accounts, ApprovalRules } from '@app/configuration';
import type { ProposedAction, ProposedConfiguration } from '@app/investigation/approvals';
import { erasureStream } from '@app/investigation/erasure';
import type { Revision, StreamName } from '@app/event-store';
import {
  merchantsAsked,
  type ActingOperator,
  type ApplyingConfiguration,
  type AskedConfiguration,
  type ConfigurationService,
  type Erasing,
  type ErasureService,
  type FollowUpRequestAnswer,
  type FollowUpService,
  type Holding,
  type OperatorService,
  type Resolution,
  type WantedFollowUp,
} from '@app/investigation';
import { isOrderId, present, type Currency, type MerchantLogin, type Money, type OrderId } from '@app/kernel';
import type { FollowUpKind } from '@app/orders/domain';
import type { OrderStatusRecord, OrderStatusView } from '@app/read-models';
import { caseStream } from '@app/reconciliation';
import type { CaseApplying, ReconciliationService } from './reconciliation.service';

/** The answer of each action that may need an approval. */
export interface Answers {
  readonly 'settle-unknown': Resolution;
  readonly 'return-order': FollowUpRequestAnswer;
  readonly 'capture-order': FollowUpRequestAnswer;
  readonly 'void-order': FollowUpRequestAnswer;
  readonly 'apply-case': CaseApplying;
  readonly 'erase-order': Erasing;
  readonly 'erase-card': Erasing;
  readonly 'release-hold': Holding;
  readonly 'apply-configuration': ApplyingConfiguration;
}
export type Action = keyof Answers;

/** What a request asks for. */
export interface Wish<Of extends Action = Action> extends Pick<
  ProposedAction,
  'target' | 'to' | 'followUp' | 'endsReferences' | 'keyDigest'
> {
  readonly action: Of;
  /** The order must belong to this merchant. */
  readonly merchant?: MerchantLogin;
  /** Absent for all that is left. */
  readonly amountMinor?: bigint;
  /** Absent for the currency of the order. */
  readonly currency?: Currency;
  readonly configuration?: AskedConfiguration;
}

/** The effect of a wish now. */
export interface Possible {
  readonly reason: 'possible';
  readonly merchant?: MerchantLogin;
  readonly orderStream: StreamName;
  readonly orderRevision?: bigint;
  readonly amount?: Money;
  /** What counts against the rule's threshold, if it is more than the amount. */
  readonly weighed?: Money;
  readonly to?: 'approved' | 'declined';
  readonly configuration?: ProposedConfiguration;
}

export interface Executor<Answer> {
  readonly rule: keyof ApprovalRules;
  readonly done: readonly string[];
  /** The cause of a refusal if the target changed after the proposal. Absent: `order-moved`. */
  readonly moved?: string;
  look(wish: Wish, acting: ActingOperator): Promise<Possible | Answer>;
  run(wish: Wish, reason: string, acting: ActingOperator, at: Revision | undefined): Promise<Answer>;
}

interface ApprovableActionsPorts {
  readonly operators: Pick<OperatorService, 'resolve'>;
  readonly followUps: Pick<FollowUpService, 'request' | 'preview'>;
  readonly reconciliation: Pick<ReconciliationService, 'apply' | 'preview'>;
  readonly erasures: Pick<ErasureService, 'eraseOrder' | 'eraseCard' | 'release' | 'ownerOfCard'>;
  readonly configurations: Pick<ConfigurationService, 'preview' | 'apply'>;
  readonly readModel: {
    readonly operatorOrders: { byOrderId(merchants: readonly MerchantLogin[], orderId: OrderId): Promise<OrderStatusRecord | undefined> };
  };
  readonly orders: {
    ofStream(
      stream: StreamName,
      options?: { readonly upTo?: (stored: { readonly revision: Revision }) => boolean },
    ): Promise<OrderStatusView | undefined>;
  };
  readonly accounts: Pick<Accounts, 'logins'>;
}

/** The streams of which one has the last event of the action. A case is recorded after its order. */
export const lastStreamsOf = ({ action, target, orderStream }: ProposedAction): readonly StreamName[] => {
  if (action === 'apply-case') return [caseStream(target)];
  return orderStream === undefined ? [] : [orderStream as StreamName, erasureStream(orderStream)];
};

/** The preview and the execution of each action that may need an approval. */
export class ApprovableActions {
  readonly executors: { readonly [Of in Action]: Executor<Answers[Of]> };

  constructor(private readonly ports: ApprovableActionsPorts) {
    this.executors = this.#made();
  }

  /** Undefined if there is no such order, and equally if it belongs to a merchant that the operator may not see. */
  async order(target: string, merchant: string | undefined, { operator }: ActingOperator) {
    const { readModel, accounts } = this.ports;
    const merchants = merchantsAsked(operator, accounts.logins, merchant);
    const found = isOrderId(target) ? await readModel.operatorOrders.byOrderId(merchants, target) : undefined;
    return found === undefined ? undefined : this.#current(found.stream);
  }

  async #current(stream: StreamName) {
    let orderRevision: Revision | undefined;
    const upTo = ({ revision }: { readonly revision: Revision }): boolean => {
      orderRevision = revision;
      return false;
    };
    const view = await this.ports.orders.ofStream(stream, { upTo });
    return view === undefined || orderRevision === undefined
      ? undefined
      : { view, possible: { reason: 'possible' as const, merchant: view.merchant, orderStream: stream, orderRevision } };
  }

  #made(): { readonly [Of in Action]: Executor<Answers[Of]> } {
    const { operators, followUps, reconciliation, erasures, configurations } = this.ports;
    const followUp = (kind: FollowUpKind, rule: keyof ApprovalRules): Executor<FollowUpRequestAnswer> => {
      const wanted = ({ target, merchant, amountMinor, currency, keyDigest = '' }: Wish): WantedFollowUp => ({
        orderId: target,
        kind,
        keyDigest,
        ...present({ merchant, amountMinor, currency }),
      });
      return {
        rule,
        done: ['accepted'],
        look: async (wish, acting) => {
          const looked = await followUps.preview(wanted(wish), acting);
          if (looked.reason !== 'possible') return looked;
          const { merchant, stream: orderStream, revision: orderRevision, amount, earlierMinor } = looked;
          // Parts of one order count together, so that they do not pass below the threshold.
          const weighed = { ...amount, minor: amount.minor + earlierMinor };
          return { reason: 'possible', merchant, orderStream, orderRevision, amount, weighed };
        },
        run: (wish, reason, acting, at) => followUps.request(wanted(wish), { reason, ...(at !== undefined && { at }) }, acting),
      };
    };
    const erasing = (look: Executor<Erasing>['look'], run: Executor<Erasing>['run']): Executor<Erasing> => ({
      rule: 'eraseOrder',
      done: ['erased', 'erased-before'],
      look,
      run,
    });
    const ofOrder = async (wish: Wish, acting: ActingOperator): Promise<Possible | { readonly reason: 'unknown-order' }> =>
      (await this.order(wish.target, wish.merchant, acting))?.possible ?? { reason: 'unknown-order' };
    return {
      'settle-unknown': {
        rule: 'resolveUnknown',
        done: ['resolved'],
        look: async ({ target, merchant, followUp: number, to }, acting) => {
          const order = await this.order(target, merchant, acting);
          if (order === undefined) return { reason: 'unknown-order' };
          const one = number === undefined ? order.view : order.view.followUps.find((each) => each.number === number);
          if (one === undefined || one.finalAt !== null) return { reason: 'nothing-to-resolve' };
          const amount = { minor: BigInt(one.amountMinor), currency: order.view.currency };
          return { ...order.possible, amount, ...present({ to }) };
        },
        run: ({ target, merchant, followUp: number, to = 'declined' }, reason, acting, at) =>
          operators.resolve(target, { as: to, reason, ...present({ merchant, followUp: number, at }) }, acting),
      },
      'return-order': followUp('return', 'refund'),
      'capture-order': followUp('capture', 'capture'),
      'void-order': followUp('void', 'void'),
      'apply-case': {
        rule: 'applyCase',
        done: ['applied'],
        look: async ({ target }, acting) => {
          const looked = await reconciliation.preview(target, acting.operator);
          if (looked.reason !== 'possible') return looked;
          const order = await this.#current(looked.stream);
          return order === undefined ? { reason: 'unknown-order' } : { ...order.possible, to: looked.to };
        },
        run: ({ target }, reason, acting) => reconciliation.apply(target, reason, acting),
      },
      'erase-order': erasing(ofOrder, ({ target, merchant, endsReferences }, reason, acting) =>
        erasures.eraseOrder(target, { reason, ...present({ merchant, endsReferences }) }, acting),
      ),
      'erase-card': erasing(
        async ({ target, merchant }, acting) => {
          const owner = await erasures.ownerOfCard(target, merchant, acting);
          return (owner && (await this.#current(owner.stream))?.possible) ?? { reason: 'unknown-card-reference' };
        },
        ({ target, merchant }, reason, acting) => erasures.eraseCard(target, { reason, ...present({ merchant }) }, acting),
      ),
      'release-hold': {
        rule: 'releaseHold',
        done: ['released'],
        look: ofOrder,
        run: ({ target, merchant }, reason, acting) => erasures.release(target, { reason, ...present({ merchant }) }, acting),
      },
      'apply-configuration': {
        rule: 'applyConfiguration',
        done: ['applied'],
        moved: 'configuration-moved',
        look: async ({ configuration = {} }, acting) => {
          const looked = await configurations.preview(configuration, acting);
          if (looked.reason !== 'possible') return looked;
          const { stream: orderStream, revision: orderRevision, change } = looked;
          return { reason: 'possible', orderStream, configuration: change, ...present({ orderRevision }) };
        },
        run: ({ configuration = {} }, reason, acting, at) => {
          const { digest, inForce, whatIf } = configuration;
          return configurations.apply({ reason, ...present({ digest, inForce, whatIf, at }) }, acting);
        },
      },
    };
  }
}
