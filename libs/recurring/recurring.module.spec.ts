import { Test } from '@nestjs/testing';
import { OrderContexts } from '@app/orders';
import { modulePorts } from '@app/testing/module-ports';
import { ChargeRegisteredCardHandler } from './application/charge-registered-card.handler';
import { RecurringModule } from './recurring.module';

it('offers its handler, and `orders` knows its streams', async () => {
  const module = await Test.createTestingModule({ imports: [modulePorts(), RecurringModule] }).compile();
  expect(module.get(ChargeRegisteredCardHandler)).toBeInstanceOf(ChargeRegisteredCardHandler);
  expect(module.get(OrderContexts, { strict: false }).categories).toStrictEqual(['recurring']);
});
