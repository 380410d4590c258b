import type { HealthSource } from '../operator/health.controller';
import type { PayerJourney } from '../payer/payer-journey';
import type { Receipts } from '../receipt/receipts';
import type { SimulatorPages } from '../payer/simulator-page.controller';

/** What the public port's controllers are given. */
export interface PublicParts {
  readonly payerJourney: PayerJourney;
  readonly receipts: Receipts;
  readonly simulatorPages: SimulatorPages;
  readonly health: HealthSource;
}
