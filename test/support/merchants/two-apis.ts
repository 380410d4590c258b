import { Merchant, type Answer, type MerchantSettings } from './merchant';
import { API, Replicas } from '../processes/replicas';
import type { Environment } from '../processes/service-process';

export interface TwoApisSettings {
  readonly configuration: object;
  readonly more?: readonly Environment[];
}

/** Two `api` over one production set, each addressed separately: a test sees which duplicates the stores prevent (safety, F9 and B17). */
export class TwoApis {
  private constructor(readonly replicas: Replicas) {}

  static async start({ configuration, more = [] }: TwoApisSettings): Promise<TwoApis> {
    return new TwoApis(await Replicas.start({ configuration, processes: [API, API, ...more] }));
  }

  merchants(settings?: MerchantSettings): readonly [Merchant, Merchant] {
    return [new Merchant(this.replicas.at(0), settings), new Merchant(this.replicas.at(1), settings)];
  }

  dispose(): Promise<void> {
    return this.replicas.dispose();
  }
}

/**
 * @returns all answers, those of the first instance first
 */
export const fromBoth = (
  merchants: readonly [Merchant, Merchant],
  send: (merchant: Merchant) => Promise<Answer>,
  timesEach = 1,
): Promise<Answer[]> => Promise.all(merchants.flatMap((merchant) => Array.from({ length: timesEach }, () => send(merchant))));
