import { Controller, Get, HttpStatus, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isStoreAway } from '@app/order-processing';
import { OutcomeUnknown } from '@app/event-store';
import { sendAnswer } from '@app/http-server';
import { deliveryAsJson } from '@app/order-queries';
import type { Operator } from '@app/configuration';
import { OperatorAccess, sendAccessRefused } from './operator-access';
import { OperatorService, type OperatorActing, type Settlement, type Unparking } from './operator.service';
import type { OperatorRequestName } from './operator-roles';
import { ResendRequest, SettlementRequest, UnparkRequest } from './operator.requests';
import { readAction } from './read-action';

const JSON_TYPE = 'application/json;charset=utf-8';
const SEARCHED_LENGTH_MAX = 256;

const SETTLEMENT_STATUS: Readonly<Record<Settlement['reason'], number>> = {
  settled: HttpStatus.OK,
  'unknown-order': HttpStatus.NOT_FOUND,
  'nothing-to-settle': HttpStatus.CONFLICT,
  'flight-not-over': HttpStatus.CONFLICT,
};

const UNPARKING_STATUS: Readonly<Record<Unparking['reason'], number>> = {
  unparked: HttpStatus.OK,
  'not-parked': HttpStatus.NOT_FOUND,
  'still-parked': HttpStatus.CONFLICT,
};

type Answer = readonly [status: number, body: object];

/** The operator's questions and actions as JSON, on the operator's port alone, each by a token whose owner may ask for it. */
@Controller()
export class OperatorController {
  constructor(
    @Inject(OperatorService) private readonly desk: OperatorService,
    @Inject(OperatorAccess) private readonly access: OperatorAccess,
  ) {}

  @Get('orders/unknown')
  unknown(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.ask('list-unknown', request, response, async (operator) => [HttpStatus.OK, { orders: await this.desk.unknown(operator) }]);
  }

  @Get('orders/find')
  find(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.ask('find-orders', request, response, async () => {
      const query = new URL(request.url, 'http://operator').searchParams;
      const text = query.get('q')?.trim() ?? '';
      if (text === '' || text.length > SEARCHED_LENGTH_MAX) return [HttpStatus.BAD_REQUEST, { error: 'q must be an identifier' }];
      const found = await this.desk.find(text, query.get('after') ?? undefined);
      return found === undefined ? [HttpStatus.BAD_REQUEST, { error: 'after must be what the page before told' }] : [HttpStatus.OK, found];
    });
  }

  @Get('orders/:orderId')
  order(@Param('orderId') orderId: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.ask('show-order', request, response, async () => {
      const order = await this.desk.order(orderId);
      return order === undefined ? this.notFound() : [HttpStatus.OK, order];
    });
  }

  @Get('orders/:orderId/deliveries')
  deliveries(@Param('orderId') orderId: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.ask('list-deliveries', request, response, async () => {
      const deliveries = await this.desk.deliveries(orderId);
      return deliveries === undefined ? this.notFound() : [HttpStatus.OK, { deliveries: deliveries.map(deliveryAsJson) }];
    });
  }

  @Post('orders/:orderId/settlement')
  settle(@Param('orderId') orderId: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.act('settle-unknown', request, response, SettlementRequest, async (message, acting) => {
      const settlement = await this.desk.settle(orderId, message, acting);
      return [
        SETTLEMENT_STATUS[settlement.reason],
        settlement.reason === 'settled' ? { order: settlement.order } : { error: settlement.reason },
      ];
    });
  }

  @Post('deliveries/:deliveryId/resend')
  resend(@Param('deliveryId') deliveryId: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.act('resend-delivery', request, response, ResendRequest, async ({ reason }, acting) => {
      const answer = await this.desk.resend(deliveryId, reason, acting);
      if (answer.reason === 'unknown-delivery') return [HttpStatus.NOT_FOUND, { error: answer.reason }];
      return [HttpStatus.ACCEPTED, { deliveryId, merchant: answer.merchant, isDueAlready: answer.reason === 'due-already' }];
    });
  }

  @Post('streams/:stream/unparking')
  unpark(@Param('stream') stream: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.act('unpark-stream', request, response, UnparkRequest, async (_message, acting) => {
      const { reason, applied, stillParked } = await this.desk.unpark(stream, acting);
      return [UNPARKING_STATUS[reason], { ...(reason === 'unparked' ? { stream } : { error: reason }), applied, stillParked }];
    });
  }

  private async notFound(): Promise<Answer> {
    return [HttpStatus.NOT_FOUND, { error: 'not found', ...(await this.desk.missing()) }];
  }

  private async ask(
    wanted: OperatorRequestName,
    request: Request,
    response: Response,
    run: (operator: Operator) => Promise<Answer>,
  ): Promise<void> {
    const admitted = this.access.admit(request.headers.authorization, wanted);
    if ('operator' in admitted) return this.answer(response, () => run(admitted.operator));
    sendAccessRefused(response, admitted.refused);
  }

  private act<Message extends { readonly actor?: string }>(
    wanted: OperatorRequestName,
    request: Request,
    response: Response,
    Message: new () => Message,
    run: (message: Message, acting: OperatorActing) => Promise<Answer>,
  ): Promise<void> {
    return this.ask(wanted, request, response, async (operator) => {
      const read = await readAction(request, Message);
      if (read === 'aborted') return [HttpStatus.BAD_REQUEST, { error: 'the request ended early' }];
      if ('refused' in read) return [read.refused.status, { error: read.refused.error }];
      return run(read.ok, { operator, claims: read.ok.actor });
    });
  }

  /** A store that is away is told as such; what else goes wrong is a fault of ours, and the filter's. */
  private async answer(response: Response, ask: () => Promise<Answer>): Promise<void> {
    try {
      const [status, body] = await ask();
      this.send(response, status, body);
    } catch (error) {
      if (error instanceof OutcomeUnknown)
        this.send(response, HttpStatus.GATEWAY_TIMEOUT, { error: 'not known whether it was done: look, and ask again' });
      else if (isStoreAway(error))
        this.send(response, HttpStatus.SERVICE_UNAVAILABLE, { error: 'a store does not answer, nothing was done' });
      else throw error;
    }
  }

  private send(response: Response, status: number, body: object): void {
    sendAnswer(response, { status, contentType: JSON_TYPE, body: `${JSON.stringify(body)}\n` });
  }
}
