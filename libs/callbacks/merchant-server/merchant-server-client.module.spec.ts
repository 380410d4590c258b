import { Test } from '@nestjs/testing';
import { CONFIGURATION } from '@app/configuration/configuration.module';
import { egressPolicyOf, type Egress } from '@app/http/client';
import { EGRESS_POLICY } from '@app/http/client/egress.module';
import { MERCHANT_SERVER } from '@app/orders/orders.tokens';
import { modulePorts } from '@app/testing/module-ports';
import { MERCHANT_SERVER_EGRESS, MerchantServerClientModule } from './merchant-server-client.module';
import { OrderMerchantServer } from './order-merchant-server';

const policy = egressPolicyOf({ allow: [], ports: new Set(), plainHttp: false }, false);

it('provides the merchant server to orders and rejects calls after shutdown', async () => {
  const ports = modulePorts([[CONFIGURATION, { groupB: { notificationWaitMs: 1 } }]]);
  const building = Test.createTestingModule({ imports: [ports, MerchantServerClientModule] });
  const context = await building.overrideProvider(EGRESS_POLICY).useValue(policy).compile();
  expect(context.get<unknown>(MERCHANT_SERVER, { strict: false })).toBeInstanceOf(OrderMerchantServer);
  const egress = context.get<Egress>(MERCHANT_SERVER_EGRESS, { strict: false });
  await context.close();
  const call = { method: 'POST', url: 'https://shop.example/', source: 'configuration', headers: {}, body: '{}' } as const;
  await expect(egress.send(call)).resolves.toStrictEqual({ kind: 'not-sent', cause: 'closed' });
});
