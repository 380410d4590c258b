import type { AttemptKey, DestinationCard, Failpoints, Ids, Secret, Card } from '@app/kernel';
import { type CardVault, type OrderSealer, CardErased } from '@app/card-vault';
import type {
  Gate,
  Gates,
  OrderTexts,
  TransferAnswer,
  CardAtGate,
  RebillRequest,
  CallLimit,
  VerifyRequest,
} from '@app/gateway-adapters/contract';
import type { StreamName } from '@app/event-store';
import {
  amountOfRouteStep,
  CLAIMS_ANEW_WITHIN_MS,
  claimedAt,
  longestFlightMsOf,
  plannedGate,
  type OrderCard,
  type OrderScreened,
  type RouteStep,
  knownAtGate,
  type Operation,
  type OrderInProgress,
} from '../../domain';
import type { CheckOrder } from './check-order';
import { gateCall, type GateCaller } from './gate-caller';
import type { ClaimBeforeSending } from './claim-before-sending';
import { openTexts, capabilityFor, type Sum } from './sent-requests';
import type { OpenOrder } from '../order-context';
import type { OrderRecorder } from '../order-recorder';
import type { NotificationAddresses } from './gate-notification-ports';
import type { ScreenOrder } from '../rules/screen-order';

/** `none`: the card was shredded, or the gate takes none. */
type Funds =
  | { readonly kind: 'card'; readonly card: Secret<Card> }
  | { readonly kind: 'at-gate'; readonly by: CardAtGate }
  | { readonly kind: 'none' };

type FundlessRequest = Omit<VerifyRequest, 'card'>;

const unlessErased = <Opened>(opening: Promise<Opened>): Promise<Opened | undefined> =>
  opening.catch((error: unknown) => {
    if (error instanceof CardErased) return undefined;
    throw error;
  });

const isRebilled = (operation: Operation): operation is RebillRequest['transactionType'] => operation === 'sale' || operation === 'preauth';

const cardAtGate = (
  { atGates, plan: { operation } }: Pick<OrderInProgress, 'atGates' | 'plan'>,
  { profile, rebilling }: Gate,
): CardAtGate | undefined =>
  atGates === undefined || rebilling === undefined || !isRebilled(operation)
    ? undefined
    : knownAtGate(atGates, profile.alias, rebilling.means);

/**
 * Opens the card only if the gate needs it.
 * @throws VaultUnavailable
 */
const fundsFor = async (
  order: Pick<OrderInProgress, 'atGates' | 'plan' | 'merchant' | 'card' | 'orderId'>,
  gate: Gate,
  vault: Pick<CardVault, 'open'>,
): Promise<Funds> => {
  const by = cardAtGate(order, gate);
  if (by !== undefined) return { kind: 'at-gate', by };
  if (order.card === undefined) throw new Error(`${order.orderId}: no card to be charged`);
  // A gate that takes no cards refuses the attempt, so the vault is not needed.
  if (capabilityFor(gate, order.plan.operation) === undefined) return { kind: 'none' };
  const card = await unlessErased(vault.open(order.merchant, order.card.handle));
  return card === undefined ? { kind: 'none' } : { kind: 'card', card };
};

const askWith = (
  gate: Gate,
  operation: Operation,
  funds: Funds,
): ((request: FundlessRequest, sum: Sum, limit: CallLimit) => Promise<TransferAnswer>) | undefined => {
  if (funds.kind === 'none') return undefined;
  if (funds.kind === 'card') {
    const ask = capabilityFor(gate, operation);
    return ask && ((request, sum, limit) => ask({ ...request, card: funds.card }, sum, limit));
  }
  const { rebilling } = gate;
  if (rebilling === undefined || !isRebilled(operation)) return undefined;
  return ({ payerReturnUrl: _noPayer, ...request }, { amount, recurrent }, limit) =>
    rebilling.rebill({ ...request, transactionType: operation, by: funds.by, amount, ...(recurrent && { recurrent }) }, limit);
};

/** The longest prefix that a screening rule can name. */
const LEADING_DIGITS = 8;

export interface PayerAddresses {
  returnUrl(stream: StreamName, key: AttemptKey): string;
}

const cardOf = (funds: Funds) => (funds.kind === 'card' ? funds.card : undefined);

interface Prepared {
  readonly routeStep: RouteStep;
  readonly gate: Gate;
  readonly key: AttemptKey;
  readonly kept: OrderCard;
  readonly funds: Funds;
  readonly destination: Secret<DestinationCard> | undefined;
  readonly cvv: Secret<string> | undefined;
  readonly texts: OrderTexts | undefined;
  readonly screened: OrderScreened['data'] | undefined;
}

interface SubmitAttemptPorts {
  readonly recorder: OrderRecorder;
  readonly caller: GateCaller;
  readonly claims: ClaimBeforeSending;
  readonly gates: Gates;
  readonly vault: Pick<CardVault, 'open' | 'openReceiving'>;
  readonly sealer: Pick<OrderSealer, 'unseal'>;
  readonly checking: CheckOrder;
  readonly screening: ScreenOrder;
  readonly payer: PayerAddresses;
  readonly notifications: NotificationAddresses;
  readonly ids: Ids;
  readonly failpoints: Failpoints;
}

/**
 * The only place that sends a charge to a gate. The charge leaves at most once, because the claim by exact revision decides who submits
 * (architecture, rule 4).
 */
export class SubmitAttempt {
  constructor(private readonly ports: SubmitAttemptPorts) {}

  async submit(found: OpenOrder, cvv?: Secret<string>): Promise<OpenOrder> {
    if (found.processing.due === undefined) return found;
    if (found.order.plan.cvvHolder !== undefined && cvv === undefined) return found; // an order that came with a CVV is never submitted without it
    const open = await this.ports.checking.check(found);
    const { merchant, card: kept, destination: receiving } = open.order;
    const { due: routeStep, device } = open.processing;
    if (routeStep === undefined || device?.status === 'fee-offered') return open;
    if (kept === undefined) throw new Error(`${open.stream}: no card to be charged`);
    const gate = this.ports.gates.gate(routeStep.gate);
    // Before the claim, so that an unavailable vault leaves the order unchanged.
    const funds = await fundsFor(open.order, gate, this.ports.vault);
    const destination = receiving && (await unlessErased(this.ports.vault.openReceiving(merchant, receiving.handle)));
    const texts = gate.profile.needsTexts ? await openTexts(this.ports.sealer, open.order) : undefined;
    const screened = await this.screen(open, gate, kept, funds);
    const key = this.ports.ids.next() as AttemptKey;
    const flightMs = longestFlightMsOf(open.processing, routeStep.gate);
    return this.ports.caller.whileUnderWay(key, flightMs, () =>
      this.charge(open, { routeStep, gate, key, kept, funds, destination, cvv, texts, screened }),
    );
  }

  private screen(open: OpenOrder, gate: Gate, kept: OrderCard, funds: Funds): Promise<OrderScreened['data'] | undefined> {
    const { plan } = open.order;
    if (plan.screening === undefined || open.processing.attempts.status !== 'none') return Promise.resolve(undefined);
    const { bin } = kept.face;
    const card = async () =>
      funds.kind === 'at-gate' ? unlessErased(this.ports.vault.open(open.order.merchant, kept.handle)) : cardOf(funds);
    const leadingDigits = async () => (await card())?.reveal().number.slice(0, LEADING_DIGITS) ?? bin;
    return this.ports.screening.screen(open, plan.screening, { kept, leadingDigits, issuerCountry: gate.bins?.binFacts(bin)?.country });
  }

  private async charge(open: OpenOrder, prepared: Prepared): Promise<OpenOrder> {
    const { routeStep, gate, key, kept, funds, destination, cvv, screened } = prepared;
    const { order } = open;
    const amount = amountOfRouteStep(order, routeStep);
    const issuer = gate.bins?.binFacts(kept.face.bin);
    const sent = { ...(funds.kind === 'at-gate' && { chargedBy: funds.by.kind }), ...(issuer && { issuer }) };
    const claim = await this.ports.claims.hold(open, {
      first: (now) =>
        this.ports.recorder.claim(open, {
          type: 'StartAttempt',
          receiptId: this.ports.recorder.receiptId(),
          ...(screened && { screened }),
          data: { key, gate: routeStep.gate, amount, now, ...sent },
        }),
      sentAtOf: ({ processing: { attempts } }) => claimedAt(attempts, key, 'first'),
      renew: (existing, sentAt, now) =>
        this.ports.recorder.claim(existing, {
          type: 'RenewClaim',
          receiptId: this.ports.recorder.receiptId(),
          data: { key, sentAt, now, ...sent },
        }),
      withinMs: cvv === undefined ? Infinity : CLAIMS_ANEW_WITHIN_MS,
    });
    if (claim.kind === 'not-held') return claim.order; // another process submits, or screening stopped the order
    if (claim.kind === 'given-up')
      return this.ports.recorder.recordAnswer(claim.order, { key, answer: { kind: 'not-asked', cause: 'never-heard-of' } });
    this.ports.failpoints.reach('P5');
    let latest = claim.order;
    const ask = askWith(gate, order.plan.operation, funds);
    const keyed = {
      ...gateCall(open, routeStep.gate, { task: 'submit' }),
      key,
      longestFlightMs: longestFlightMsOf(open.processing, routeStep.gate),
    };
    const answer = await this.ports.caller.ask(order, keyed, {
      call: async (limit): Promise<TransferAnswer> => {
        if (ask === undefined) return { kind: 'not-asked', cause: 'refused-by-gate' };
        const sum = { amount, destination, ...(open.marks && { recurrent: open.marks }) };
        const noting = this.ports.caller.noting(order, keyed, limit, async (taken) => {
          latest = await this.ports.recorder.recordTaken(latest, key, taken);
        });
        const answering = ask(this.request(open, prepared), sum, noting);
        this.ports.failpoints.reach('P6');
        return answering;
      },
      recordLate: (late) => this.ports.recorder.recordAnswer(latest, { key, answer: late }),
    });
    this.ports.failpoints.reach('P7');
    const after = await this.ports.recorder.recordAnswer(latest, { key, answer });
    this.ports.failpoints.reach('P8');
    return after;
  }

  private request(open: OpenOrder, { key, cvv, texts, gate }: Prepared): FundlessRequest {
    const { orderId, merchant, endpointId, clientOrderId } = open.order;
    return {
      key,
      orderId,
      merchant,
      endpointId,
      clientOrderId,
      descriptor: plannedGate(open.order, gate.profile.alias).descriptor,
      ...(texts !== undefined && { texts }),
      ...(cvv !== undefined && { cvv }),
      ...(open.marks === undefined && { payerReturnUrl: this.ports.payer.returnUrl(open.stream, key) }),
      ...(gate.listening !== undefined && {
        notificationUrl: this.ports.notifications.notificationUrl(gate.profile.alias, open.stream, key),
      }),
    };
  }
}
