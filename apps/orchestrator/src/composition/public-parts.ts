import type { MerchantParts } from './bridge-a.module';
import type { DeviceEndpoints } from '../group-b/device-routes';
import type { GroupBEdge } from '../group-b/group-b.edge';
import type { HealthSource } from '../operator/health.controller';
import type { PayerJourney } from '../payer/payer-journey';
import type { Receipts } from '../receipt/receipts';
import type { SimulatorPages } from '../payer/simulator-page.controller';

/** What the public port's controllers are given. */
export interface PublicParts {
  readonly merchantParts: MerchantParts;
  readonly deviceEdge: GroupBEdge;
  readonly deviceEndpoints: DeviceEndpoints;
  readonly payerJourney: PayerJourney;
  readonly receipts: Receipts;
  readonly simulatorPages: SimulatorPages;
  readonly health: HealthSource;
}
