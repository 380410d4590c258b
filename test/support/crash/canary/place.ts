import type { Canary } from './canaries';
import type { CanaryService } from './canary-service';

/** One place into which a card number may come. */
export interface Place {
  readonly name: string;
  /** True where the sender gets this text back in a status or a callback (safety, section 5.6); even then it must not be at rest, nor in a log. */
  readonly isGivenBack: boolean;
  readonly put: (canary: Canary, service: CanaryService, name: string) => Promise<void>;
}
