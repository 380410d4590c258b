import { formatAmount, parseAmount, type BootId, type Currency, type Instant, type Money } from '@app/kernel';
import { receivingFaceOf } from '@app/card-vault';
import { endpointFor, firstEndpointOf, type Accounts, type EntryPoint, type Operator } from '@app/configuration';
import type { Gates } from '@app/gateway-adapters/contract';
import { offerFor, type RouteOrder } from '@app/orders';
import { seesMerchant } from './operator-access';
import { termsOf, type Operation, type PassedOver, type RouteFacts, type RoutingChoice } from '@app/orders/domain';

/** A hypothetical order. */
export interface RouteQuestion {
  /** An entry point or a group of them. */
  readonly endpoint: string;
  readonly operation: Operation;
  /** Major units. */
  readonly amount: string;
  /** Default: the entry point's currency. */
  readonly currency?: string;
  /** First six digits. */
  readonly bin?: string;
  /** ISO 3166 alpha-3; overrides the configured issuer data. */
  readonly country?: string;
  /** Milliseconds since the epoch; default: now. */
  readonly at?: number;
  /** The payer's e-mail address. */
  readonly customer?: string;
}

/** The order's route at present, and why. */
export interface RouteExplanation {
  /** The endpoint that serves the order, also if a group was named. */
  readonly endpoint: string;
  /** `default` if no rule matched: the endpoint's gates as listed. */
  readonly rule: string;
  readonly choice: RoutingChoice['kind'];
  /** In the order of attempts; for a random split, by weight. */
  readonly gates: readonly string[];
  /** Gates of the rule whose circuit is open in the answering process. */
  readonly leftOut: readonly string[];
  /** Gates that operators hold, which could serve the order. */
  readonly heldGates: readonly string[];
  /** For a split: how the first gate is drawn, and the weights. */
  readonly drawnBy?: 'customer' | 'chance';
  readonly shares?: readonly { readonly gate: string; readonly weight: number }[];
  /** For a choice by commission, in major units. */
  readonly commissions?: readonly { readonly gate: string; readonly commission: string }[];
  /** The rules before it, each with the conditions that did not hold; `gates`: none of its gates can serve the order. */
  readonly passedOver: readonly PassedOver[];
  readonly facts: {
    readonly amount: string;
    readonly currency: string;
    readonly at: string;
    readonly bin?: string;
    readonly brand?: string;
    readonly country?: string;
  };
}

export type RouteAnswer =
  | { readonly reason: 'explained'; readonly explanation: RouteExplanation }
  /** `refused`: no such order would be accepted. */
  | { readonly reason: 'unknown-endpoint' | 'malformed-amount' }
  | { readonly reason: 'refused'; readonly why: string };

interface RouteExplanationPorts {
  readonly accounts: Accounts;
  readonly gates: Gates;
  readonly routes: Pick<RouteOrder, 'explain'>;
  readonly bootId: BootId;
}

/** Explains how an order would be routed. Nothing is accepted, drawn or recorded. */
export class RouteExplanations {
  constructor(private readonly ports: RouteExplanationPorts) {}

  async explain(question: RouteQuestion, operator: Pick<Operator, 'merchants'>): Promise<RouteAnswer> {
    const { accounts, routes } = this.ports;
    const entryPoint = accounts.entryPoint('endpoint', question.endpoint) ?? accounts.entryPoint('group', question.endpoint);
    if (entryPoint === undefined || !seesMerchant(operator, entryPoint.merchant)) return { reason: 'unknown-endpoint' };
    const minor = question.operation === 'account-verification' ? 0n : parseAmount(question.amount);
    if (minor === undefined) return { reason: 'malformed-amount' };
    const currency = (question.currency ?? firstEndpointOf(entryPoint).currency) as Currency;
    const amount: Money = { minor, currency };
    const offer = this.offerOf(entryPoint, question, currency);
    const terms = termsOf(offer, { operation: question.operation, amount });
    if (offer.kind === 'refused' || 'reason' in terms)
      return { reason: 'refused', why: 'reason' in terms ? terms.reason : 'operation-not-offered' };
    const { bin, customer, country, at } = question;
    const request = {
      merchant: entryPoint.merchant,
      amount,
      ...(bin !== undefined && { card: { bin, brand: receivingFaceOf(bin).brand } }),
      customer: () => customer,
    };
    const given = { ...(country !== undefined && { country }), ...(at !== undefined && { at: at as Instant }) };
    const explained = await routes.explain(offer, request, given);
    if (explained === undefined) return { reason: 'refused', why: 'held' };
    const { id: endpoint } = endpointFor(entryPoint, currency) ?? firstEndpointOf(entryPoint);
    return { reason: 'explained', explanation: explanationOf(endpoint, explained) };
  }

  /** Assumes a CVV and no addresses, like most orders. */
  private offerOf(entryPoint: EntryPoint, { operation }: RouteQuestion, currency: string) {
    const { accounts, gates, bootId } = this.ports;
    const assumed = { hasCvv: true, bootId, payerMs: 0, callbackUrl: undefined, notifyUrl: undefined };
    return offerFor(accounts, { entryPoint, gates, operation, operationName: operation, currency, ...assumed });
  }
}

const explanationOf = (
  endpoint: string,
  { facts, held, route, drawnBy, commissions, heldGates }: NonNullable<Awaited<ReturnType<RouteOrder['explain']>>>,
): RouteExplanation => {
  const { choice } = held;
  return {
    endpoint,
    rule: route.rule,
    choice: choice.kind,
    gates: route.gates,
    leftOut: route.leftOut,
    heldGates,
    ...(drawnBy !== undefined && { drawnBy }),
    ...(choice.kind === 'split' && { shares: choice.shares }),
    ...(choice.kind === 'least-commission' && {
      commissions: [...commissions].map(([gate, commission]) => ({ gate, commission: formatAmount(commission) })),
    }),
    passedOver: route.why,
    facts: factsOf(facts),
  };
};

const factsOf = ({ amount, at, ...card }: RouteFacts): RouteExplanation['facts'] => ({
  amount: formatAmount(amount.minor),
  currency: amount.currency,
  at: new Date(at).toISOString(),
  ...card,
});
