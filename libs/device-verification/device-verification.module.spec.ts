import { Test } from '@nestjs/testing';
import { OrderContexts } from '@app/orders';
import { modulePorts } from '@app/testing/module-ports';
import { PerformVerificationHandler } from './application/perform.handler';
import { DeviceVerificationModule } from './device-verification.module';

it('offers its handler, and `orders` knows its streams', async () => {
  const module = await Test.createTestingModule({ imports: [modulePorts(), DeviceVerificationModule] }).compile();
  expect(module.get(PerformVerificationHandler)).toBeInstanceOf(PerformVerificationHandler);
  expect(module.get(OrderContexts, { strict: false }).categories).toStrictEqual(['deviceVerification']);
});
