import 'reflect-metadata';
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Body, Controller, HttpCode, Module, Param, Post, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Type } from 'class-transformer';
import { ACME } from '../harness/acme';
import { built } from '../harness/built';
import { answerQuestions } from '../harness/program';

const { GATEWAY_ROUTES, PerformSaleRequest } = built<typeof import('@app/gateway-protocol')>('libs/gateway-protocol/index.js');

type Class = abstract new () => object;
interface Members {
  /** The members of a message class, each with the class that it holds. */
  membersOf(Message: Class): readonly { readonly name: string; readonly child?: Class | undefined }[];
}
const { membersOf } = built<Members>('libs/gateway-protocol/group-b/members/member-table.js');

/** Gives the framework the classes of nested members, which the service's own reader knows by itself. */
const nest = (Message: Class): void => {
  for (const { name, child } of membersOf(Message)) {
    if (child === undefined) continue;
    Type(() => child)(Message.prototype, name);
    nest(child);
  }
};
nest(PerformSaleRequest);

const PIPE = new ValidationPipe({ transform: true, expectedType: PerformSaleRequest });

/** As the framework's own documentation has it: Express's JSON parser, a validated body, a returned object. */
@Controller('paynet')
class FrameworkController {
  @Post(GATEWAY_ROUTES.perform('sale'))
  @HttpCode(200)
  perform(
    @Param('endpointId') endpointId: string,
    @Param('invoiceId') invoiceId: string,
    @Body(PIPE) { consumer, session, transaction }: InstanceType<typeof PerformSaleRequest>,
  ): object {
    const signed =
      session.accessToken +
      consumer.device.serialNumber +
      endpointId +
      session.nonce +
      invoiceId +
      transaction.amountCentis.toString() +
      transaction.currency;
    const signature = createHmac('sha1', Buffer.from(ACME.controlKey.replaceAll('-', ''), 'hex'))
      .update(signed)
      .digest('hex')
      .toUpperCase();
    if (signature !== session.signature) throw new Error('not signed');
    return { invoiceId, session: { token: randomUUID() } };
  }
}

@Module({ controllers: [FrameworkController] })
class FrameworkModule {}

answerQuestions(async (): Promise<{ readonly port: number }> => {
  const app = await NestFactory.create(FrameworkModule, { logger: false });
  await app.listen(0, '127.0.0.1');
  const server = app.getHttpServer() as Server;
  if (!server.listening) await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port };
});
