import type { OrchestratorEnvironment } from '@app/configuration';
import { ProcessRateLimit } from './process-rate-limit';
import { noRateLimit, type RateLimit } from './rate-limit';
import { SharedRateLimit } from './shared-rate-limit';

export interface RateLimitPlace {
  /** 0: none. */
  readonly requestsPerSecond: number;
  readonly readModel: OrchestratorEnvironment['readModel'];
  /** Milliseconds that never go back. */
  readonly monotonicMs: () => number;
  readonly onAway: (error: unknown) => void;
}

/** Within the process on files, over all processes where they share a database. @throws DatabaseUnusable */
export const openRateLimit = async ({ requestsPerSecond, readModel, monotonicMs, onAway }: RateLimitPlace): Promise<RateLimit> => {
  if (requestsPerSecond === 0) return noRateLimit;
  const alone = new ProcessRateLimit(requestsPerSecond, monotonicMs);
  if (readModel.kind === 'file') return alone;
  return SharedRateLimit.open({ url: readModel.url, requestsPerSecond, whileAway: alone, monotonicMs, onAway });
};
