import type { GroupAEdge } from '../group-a/group-a.edge';
import type { GroupAOperations } from '../group-a/routes';
import type { DeviceEndpoints } from '../group-b/device-routes';
import type { GroupBEdge } from '../group-b/group-b.edge';
import type { HealthSource } from '../operator/health.controller';
import type { Bridged } from './bridge-o.module';

/** What the public port's controllers are given. */
export interface PublicParts {
  readonly edge: GroupAEdge;
  readonly operations: GroupAOperations;
  readonly deviceEdge: GroupBEdge;
  readonly deviceEndpoints: DeviceEndpoints;
  readonly bridged: Bridged;
  readonly isDocumented: boolean;
  readonly health: HealthSource;
}
