import type { OrchestratorEnvironment } from '@app/configuration';
import { ProcessRateLimit } from './process-rate-limit';
import { noRateLimit, type RateLimit } from './rate-limit';
import { SharedRateLimit } from './shared-rate-limit';

export interface RateLimitOptions {
  /** 0 means no limit. */
  readonly requestsPerSecond: number;
  readonly readModel: OrchestratorEnvironment['readModel'];
  /** Milliseconds that never go back. */
  readonly monotonicMs: () => number;
  readonly onAway: (error: unknown) => void;
}

/** The limit holds over all processes where they share a database, else within this one. @throws DatabaseUnusable */
export const openRateLimit = async ({ requestsPerSecond, readModel, monotonicMs, onAway }: RateLimitOptions): Promise<RateLimit> => {
  if (requestsPerSecond === 0) return noRateLimit;
  const ofProcess = new ProcessRateLimit(requestsPerSecond, monotonicMs);
  if (readModel.kind === 'file') return ofProcess;
  return SharedRateLimit.open({ url: readModel.url, requestsPerSecond, fallback: ofProcess, monotonicMs, onAway });
};
