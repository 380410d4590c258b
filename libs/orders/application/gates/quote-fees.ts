import type { GateAlias, Random, Scheduler } from '@app/kernel';
import { traceparentOf, type Traced } from '@app/event-store';
import type { CallLimit, Gates, QuoteAnswer, QuoteRequest } from '@app/gateway-adapters/contract';
import type { FeeOffer } from '../../domain';
import { callInTime } from './call-in-time';
import type { OpenOrder } from '../order-context';

/** Gates that have not quoted by then are not offered. */
const QUOTE_TIMEOUT_MS = 5_000;

/** Includes those past their timeout. */
const QUOTES_PER_GATE_MAX = 256;

const NOT_QUOTED: QuoteAnswer = { kind: 'not-quoted' };

interface QuoteFeesPorts {
  readonly gates: Gates;
  readonly scheduler: Scheduler;
  readonly random: Pick<Random, 'bytes'>;
  /** An error may name an adapter fault, never card data. */
  readonly onAdapterError: (error: unknown, gate: GateAlias) => void;
}

export class QuoteFees {
  readonly #open = new Map<GateAlias, number>();

  constructor(private readonly ports: QuoteFeesPorts) {}

  async offersFor(open: OpenOrder, bins: Pick<QuoteRequest, 'sourceBin' | 'destinationBin'>): Promise<readonly FeeOffer[]> {
    const { plan, merchant, endpointId, amount } = open.order;
    const request = { merchant, endpointId, amount, ...bins };
    const offers = await Promise.all(
      plan.gates.map(async ({ alias }): Promise<readonly FeeOffer[]> => {
        const answer = await this.quote(alias, request, open);
        const isOffer = answer.kind === 'quoted' && answer.commission.minor >= 0n && answer.commission.currency === amount.currency;
        return isOffer ? [{ gate: alias, commission: answer.commission }] : [];
      }),
    );
    return offers.flat();
  }

  askedBy(open: OpenOrder): GateAlias | undefined {
    return open.processing.plan.gates.find(({ alias }) => this.ports.gates.find(alias)?.choosing !== undefined)?.alias;
  }

  private async quote(alias: GateAlias, request: QuoteRequest, traced: Traced): Promise<QuoteAnswer> {
    const open = this.#open.get(alias) ?? 0;
    if (open >= QUOTES_PER_GATE_MAX) return NOT_QUOTED;
    this.#open.set(alias, open + 1);
    const call = async (limit: CallLimit): Promise<QuoteAnswer> =>
      (await this.ports.gates.gate(alias).quoting?.quote(request, limit)) ?? NOT_QUOTED;
    const outcome = await callInTime({
      scheduler: this.ports.scheduler,
      timeoutMs: QUOTE_TIMEOUT_MS,
      call,
      traceparent: () => traceparentOf(traced, this.ports.random),
    });
    const closed = (): void => void this.#open.set(alias, (this.#open.get(alias) ?? 1) - 1);
    if (outcome.kind === 'late') {
      void outcome.ending.then(closed);
      return NOT_QUOTED;
    }
    closed();
    if (outcome.kind === 'answered') return outcome.answer;
    this.ports.onAdapterError(outcome.error, alias);
    return NOT_QUOTED;
  }
}
