import type { Canary } from './canaries';
import type { CanaryService } from './canary-service';

/** One place into which a card number may come. */
export interface Place {
  readonly name: string;
  /** The sender gets this text back, in a status or a callback (safety, section 5.6): it must not lie at rest, nor in a log, all the same. */
  readonly isGivenBack: boolean;
  readonly put: (canary: Canary, service: CanaryService, name: string) => Promise<void>;
}
