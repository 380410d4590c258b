import { ACCOUNTS } from '@app/configuration/configuration.module';
import { EraseOrder } from '@app/investigation/erasure';
import { OperatorAudit } from '@app/investigation/record';
import { ErasureService, OperatorAccess, OperatorService } from '@app/investigation';
import { withGivenParts } from '../testing/given-parts';
import { METRICS_ACCESS } from './metrics.controller';
import { OperatorModule } from './operator.module';

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
