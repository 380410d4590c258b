import { Test } from '@nestjs/testing';
import { OrderContexts } from '@app/orders';
import { modulePorts } from '@app/testing/module-ports';
import { PerformTransferHandler } from './application/perform.handler';
import { TransferModule } from './transfer.module';

it('offers its handler, and `orders` knows its streams', async () => {
  const module = await Test.createTestingModule({ imports: [modulePorts(), TransferModule] }).compile();
  expect(module.get(PerformTransferHandler)).toBeInstanceOf(PerformTransferHandler);
  expect(module.get(OrderContexts, { strict: false }).categories).toStrictEqual(['transfer']);
});
