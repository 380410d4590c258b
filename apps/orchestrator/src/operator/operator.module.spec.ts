import { ACCOUNTS } from '@app/configuration/configuration.module';
import { OperatorAudit } from '@app/operator-audit';
import { withGivenParts } from '../testing/given-parts';
import { METRICS_ACCESS } from './metrics.controller';
import { OperatorAccess } from './operator-access';
import { OperatorModule } from './operator.module';
import { OperatorService } from './operator.service';

it('the module of operators resolves, and has what their port serves', async () => {
  const world = await withGivenParts([OperatorModule], [[ACCOUNTS, { merchants: [] }]]).compile();
  for (const part of [OperatorAccess, OperatorAudit, OperatorService])
    expect(world.get<object>(part, { strict: false })).toBeInstanceOf(part);
  expect(world.get(METRICS_ACCESS, { strict: false })).toBe('token');
  await world.close();
});
