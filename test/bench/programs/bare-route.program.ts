import 'reflect-metadata';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createHash } from 'node:crypto';
import { Body, Controller, Header, HttpCode, Module, Param, Post, Req, Res, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Request, type Response } from 'express';
import { ACME } from '../harness/acme';
import { built } from '../harness/built';
import { answerQuestions } from '../harness/program';

// From the build, as in the service, so that only the service's other work differs.
const protocol = built<typeof import('@app/gateway-protocol')>('libs/gateway-protocol/index.js');
const { Secret } = built<typeof import('@app/kernel')>('libs/kernel/index.js');
const { LimitedExpressAdapter, bodyReader, sendAnswer } = built<typeof import('@app/http/server')>('libs/http/server/index.js');

const { MakeRebillSaleRequest } = protocol;
const readBody = bodyReader(protocol.FORM_BYTES_MAX);
const ORDER_ID = 'rabcdefghijklmnr';
/** The type is explicit, because the compiler of this file emits no type metadata. */
const PIPE = new ValidationPipe({ transform: true, expectedType: MakeRebillSaleRequest });
const key = new Secret<string>(ACME.controlKey);
let served = 0;

const nextSerial = (): string => {
  served += 1;
  return `00000000-0000-0000-0000-${served.toString(16).padStart(12, '0')}`;
};

@Controller('paynet/api/v2')
class BareController {
  @Post('make-rebill-sale/:endpointId')
  accept(@Param('endpointId') endpointId: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return readBody(request, async (read) => {
      const parsed = protocol.parseForm(read.kind === 'read' ? read.body : new Uint8Array(0));
      if ('refused' in parsed) throw new Error(parsed.refused.message);
      const form = parsed.ok;
      const amount = protocol.readAmount(form);
      if ('refused' in amount) throw new Error(amount.refused.message);
      const signed = {
        entryPoint: endpointId,
        login: form.text('login'),
        clientOrderId: form.text('client_orderid'),
        cardRefId: form.text('cardrefid'),
        amountMinor: amount.ok,
        currency: form.text('currency'),
      };
      if (!protocol.isRebillControl(signed, form.text('control'), key, 'with-endpoint')) throw new Error('not signed');
      const valid = protocol.validateMessage(protocol.MakeRebillSaleRequest, form);
      if ('refused' in valid) throw new Error(valid.refused.message);
      const pairs = protocol.inWireOrder(protocol.ASYNC_FIELDS, {
        type: 'async-response',
        'serial-number': nextSerial(),
        'merchant-order-id': valid.ok.client_orderid,
        'paynet-order-id': ORDER_ID,
      });
      sendAnswer(response, { status: 200, ...protocol.writeAnswer(request.headers.accept, pairs) });
    });
  }
}

/** As in the framework's documentation: Express's form parser, a validated body, a returned text. */
@Controller('paynet/api/v2')
class FrameworkController {
  @Post('make-rebill-sale/:endpointId')
  @HttpCode(200)
  @Header('Content-Type', 'text/html;charset=utf-8')
  accept(@Param('endpointId') endpointId: string, @Body(PIPE) message: InstanceType<typeof MakeRebillSaleRequest>): string {
    const amountMinor = message.amount.replace('.', '');
    const signed =
      endpointId + message.login + message.client_orderid + message.cardrefid + amountMinor + message.currency + ACME.controlKey;
    if (createHash('sha1').update(signed).digest('hex') !== message.control) throw new Error('not signed');
    const answer = new URLSearchParams({
      type: 'async-response',
      'serial-number': nextSerial(),
      'merchant-order-id': message.client_orderid,
      'paynet-order-id': ORDER_ID,
    });
    return answer.toString();
  }
}

@Module({ controllers: [BareController] })
class BareModule {}

@Module({ controllers: [FrameworkController] })
class FrameworkModule {}

export interface BareRoute {
  readonly parts: 'of the service' | 'of the framework';
}

const frameworkAdapter = (): ExpressAdapter => {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.use(express.urlencoded({ extended: false, limit: '1mb' }));
  return new ExpressAdapter(app);
};

answerQuestions(async ({ parts }: BareRoute): Promise<{ readonly port: number }> => {
  const isOwn = parts === 'of the service';
  const adapter = isOwn ? new LimitedExpressAdapter() : frameworkAdapter();
  const app = await NestFactory.create(isOwn ? BareModule : FrameworkModule, adapter, { bodyParser: false, logger: false });
  await app.listen(0, '127.0.0.1');
  const server = app.getHttpServer() as import('node:http').Server;
  if (!server.listening) await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port };
});
