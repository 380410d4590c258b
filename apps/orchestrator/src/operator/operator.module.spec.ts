import 'reflect-metadata';
import { Global, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS, CONFIGURATION, ENVIRONMENT } from '@app/configuration/configuration.module';
import { EVENT_STORE } from '@app/event-store/event-store.tokens';
import { BOOT_ID, CLOCK, IDS, SCHEDULER } from '@app/injection';
import { OperatorAudit } from '@app/operator-audit';
import { OPERATOR_AUDIT_WATCH } from '@app/operator-audit/operator-audit.module';
import { ResolveUnknownFollowUp, ResolveUnknownOutcome } from '@app/order-processing';
import { CurrentOrderReader } from '@app/order-queries';
import { READ_MODEL } from '@app/projections/projections.tokens';
import { METRICS_ACCESS } from './metrics.controller';
import { OperatorAccess } from './operator-access';
import { OperatorModule } from './operator.module';
import { OperatorService } from './operator.service';

/** What the module asks of others; nothing of the rest is called. */
const ASKED = [
  [ACCOUNTS, { merchants: [] }],
  [CONFIGURATION, { operators: [] }],
  [ENVIRONMENT, { isProduction: true, operatorMetrics: 'token' }],
  ...[
    BOOT_ID,
    CARD_VAULT,
    CLOCK,
    EVENT_STORE,
    IDS,
    OPERATOR_AUDIT_WATCH,
    READ_MODEL,
    SCHEDULER,
    CurrentOrderReader,
    ResolveUnknownFollowUp,
    ResolveUnknownOutcome,
  ].map((part) => [part, {}] as const),
] as const;
@Global()
@Module({
  providers: ASKED.map(([provide, useValue]) => ({ provide, useValue })),
  exports: ASKED.map(([part]) => part),
})
class Others {}

@Module({ imports: [Others, OperatorModule] })
class World {}

it('the module of operators resolves, and has what their port serves', async () => {
  const world = await NestFactory.createApplicationContext(World, { logger: false, abortOnError: false });
  for (const part of [OperatorAccess, OperatorAudit, OperatorService])
    expect(world.get<object>(part, { strict: false })).toBeInstanceOf(part);
  expect(world.get(METRICS_ACCESS, { strict: false })).toBe('token');
  await world.close();
});
