import type { GateAlias, Scheduler } from '@app/kernel';
import type { Gates, QuoteAnswer, QuoteRequest } from '@app/gateway-adapters/contract';
import type { FeeOffer, OrderUnderWay } from '../../domain';
import { answerWithin } from '../answer-within';

/** A gate that has not named its commission by then is not offered. */
export const QUOTE_TIMEOUT_MS = 5_000;

const NOT_QUOTED: QuoteAnswer = { kind: 'not-quoted' };

/** Asks the gates of the plan what they would hold for a transfer, all at once; a gate that does not say is left out. */
export class QuoteFees {
  constructor(
    private readonly gates: Gates,
    private readonly scheduler: Scheduler,
    /** Told what a call threw: it may name a fault of the adapter, never card data. */
    private readonly onAdapterError: (error: unknown) => void,
  ) {}

  async offersFor(
    { plan, merchant, endpointId, amount }: OrderUnderWay,
    bins: Pick<QuoteRequest, 'sourceBin' | 'destinationBin'>,
  ): Promise<readonly FeeOffer[]> {
    const request = { merchant, endpointId, amount, ...bins };
    const offers = await Promise.all(
      plan.gates.map(async ({ alias }): Promise<readonly FeeOffer[]> => {
        const answer = await this.quote(alias, request);
        const isOffer = answer.kind === 'quoted' && answer.commission.minor >= 0n && answer.commission.currency === amount.currency;
        return isOffer ? [{ gate: alias, commission: answer.commission }] : [];
      }),
    );
    return offers.flat();
  }

  private quote(alias: GateAlias, request: QuoteRequest): Promise<QuoteAnswer> {
    const call = async (): Promise<QuoteAnswer> => (await this.gates.gate(alias).quoting?.quote(request)) ?? NOT_QUOTED;
    return answerWithin(this.scheduler, QUOTE_TIMEOUT_MS, call, {
      late: () => NOT_QUOTED,
      failed: (error) => {
        this.onAdapterError(error);
        return NOT_QUOTED;
      },
    });
  }
}
