import type { GroupAEdge } from '../group-a/group-a.edge';
import type { GroupAOperations } from '../group-a/routes';
import type { HealthSource } from '../operator/health.controller';
import type { PayerJourney } from '../payer/payer-journey';
import type { SimulatorPages } from '../payer/simulator-page.controller';

/** What the public port's controllers are given. */
export interface PublicParts {
  readonly edge: GroupAEdge;
  readonly operations: GroupAOperations;
  readonly payerJourney: PayerJourney;
  readonly simulatorPages: SimulatorPages;
  readonly health: HealthSource;
}
