import type { Canary } from './canaries';
import type { CanaryService } from './canary-service';

export interface Place {
  readonly name: string;
  /** True if a status or callback returns this text to its sender (safety, section 5.6). It must still not be stored or logged. */
  readonly isGivenBack: boolean;
  readonly put: (canary: Canary, service: CanaryService, name: string) => Promise<void>;
}
