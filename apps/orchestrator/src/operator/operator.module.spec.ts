import { ACCOUNTS } from '@app/configuration/configuration.module';
import { EraseOrder } from '@app/erasure';
import { OperatorAudit } from '@app/operator-audit';
import { withGivenParts } from '../testing/given-parts';
import { ErasureService } from './erasure.service';
import { METRICS_ACCESS } from './metrics.controller';
import { OperatorAccess } from './operator-access';
import { OperatorModule } from './operator.module';
import { OperatorService } from './operator.service';

it('the operator module resolves, and has the parts that the operator port serves', async () => {
  const module = await withGivenParts(
    [OperatorModule],
    [
      [ACCOUNTS, { merchants: [] }],
      [EraseOrder, {}],
    ],
  ).compile();
  for (const part of [OperatorAccess, OperatorAudit, OperatorService, ErasureService])
    expect(module.get<object>(part, { strict: false })).toBeInstanceOf(part);
  expect(module.get(METRICS_ACCESS, { strict: false })).toBe('token');
  await module.close();
});
