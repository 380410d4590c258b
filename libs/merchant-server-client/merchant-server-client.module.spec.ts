import 'reflect-metadata';
import { Global, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { IssuedReferences } from '@app/card-registration';
import { ACCOUNTS, CONFIGURATION } from '@app/configuration/configuration.module';
import { egressPolicyOf, type Egress } from '@app/egress';
import { EGRESS_POLICY } from '@app/egress/egress.tokens';
import { CLOCK, RANDOM, SCHEDULER } from '@app/injection';
import { MERCHANT_SERVER } from '@app/order-processing/order-processing.tokens';
import { seededRandom, VirtualClock } from '@app/testing';
import { MERCHANT_SERVER_EGRESS, MerchantServerClientModule } from './merchant-server-client.module';
import { OrderMerchantServer } from './order-merchant-server';

const clock = new VirtualClock();
const PARTS = [
  { provide: ACCOUNTS, useValue: {} },
  { provide: CARD_VAULT, useValue: {} },
  { provide: CLOCK, useValue: clock },
  { provide: CONFIGURATION, useValue: { groupB: { notificationWaitMs: 1 } } },
  { provide: EGRESS_POLICY, useValue: egressPolicyOf({ allow: [], ports: new Set(), plainHttp: false }, false) },
  { provide: IssuedReferences, useValue: {} },
  { provide: RANDOM, useValue: seededRandom() },
  { provide: SCHEDULER, useValue: clock },
];
@Global()
@Module({ providers: PARTS, exports: PARTS.map(({ provide }) => provide) })
class Others {}

@Module({ imports: [Others, MerchantServerClientModule] })
class Client {}

it('gives order-processing its merchant servers, and takes no call any more once the program has ended', async () => {
  const context = await NestFactory.createApplicationContext(Client, { logger: false, abortOnError: false });
  expect(context.get(MERCHANT_SERVER, { strict: false })).toBeInstanceOf(OrderMerchantServer);
  const egress = context.get<Egress>(MERCHANT_SERVER_EGRESS, { strict: false });
  await context.close();
  const call = { method: 'POST', url: 'https://shop.example/', source: 'configuration', headers: {}, body: '{}' } as const;
  await expect(egress.send(call)).resolves.toStrictEqual({ kind: 'not-sent', cause: 'closed' });
});
