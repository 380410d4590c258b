import { Controller, Get, HttpStatus, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isStoreAway } from '@app/order-processing';
import { OutcomeUnknown } from '@app/event-store';
import { sendAnswer } from '@app/serving';
import { deliveryAsJson } from '../composition/delivery-as-json';
import { OperatorDesk, type Settlement } from './operator-desk';
import { ResendRequest, SettlementRequest } from './operator.requests';
import { readAction } from './read-action';

const JSON_TYPE = 'application/json;charset=utf-8';
const NOT_FOUND = { error: 'not found' };
const SEARCHED_LENGTH_MAX = 256;

const SETTLEMENT_STATUS: Readonly<Record<Settlement['reason'], number>> = {
  settled: HttpStatus.OK,
  'unknown-order': HttpStatus.NOT_FOUND,
  'nothing-to-settle': HttpStatus.CONFLICT,
  'flight-not-over': HttpStatus.CONFLICT,
};

/** The operator's questions and actions as JSON, on the operator's port alone (safety, T43). */
@Controller()
export class OperatorController {
  constructor(@Inject(OperatorDesk) private readonly desk: OperatorDesk) {}

  @Get('orders/unknown')
  unknown(@Res() response: Response): Promise<void> {
    return this.answer(response, async () => [HttpStatus.OK, { orders: await this.desk.unknown() }]);
  }

  @Get('orders/find')
  find(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.answer(response, async () => {
      const text = new URL(request.url, 'http://operator').searchParams.get('q')?.trim() ?? '';
      if (text === '' || text.length > SEARCHED_LENGTH_MAX) return [HttpStatus.BAD_REQUEST, { error: 'q must be an identifier' }];
      return [HttpStatus.OK, { found: await this.desk.find(text) }];
    });
  }

  @Get('orders/:orderId')
  order(@Param('orderId') orderId: string, @Res() response: Response): Promise<void> {
    return this.answer(response, async () => {
      const order = await this.desk.order(orderId);
      return order === undefined ? [HttpStatus.NOT_FOUND, NOT_FOUND] : [HttpStatus.OK, order];
    });
  }

  @Get('orders/:orderId/deliveries')
  deliveries(@Param('orderId') orderId: string, @Res() response: Response): Promise<void> {
    return this.answer(response, async () => {
      const deliveries = await this.desk.deliveries(orderId);
      return deliveries === undefined ? [HttpStatus.NOT_FOUND, NOT_FOUND] : [HttpStatus.OK, { deliveries: deliveries.map(deliveryAsJson) }];
    });
  }

  @Post('orders/:orderId/settlement')
  settle(@Param('orderId') orderId: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.act(request, response, SettlementRequest, async (message) => {
      const settlement = await this.desk.settle(orderId, message);
      return [
        SETTLEMENT_STATUS[settlement.reason],
        settlement.reason === 'settled' ? { order: settlement.order } : { error: settlement.reason },
      ];
    });
  }

  @Post('deliveries/:deliveryId/resend')
  resend(@Param('deliveryId') deliveryId: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.act(request, response, ResendRequest, async (message) => {
      const answer = await this.desk.resend(deliveryId, message);
      if (answer.reason === 'unknown-delivery') return [HttpStatus.NOT_FOUND, { error: answer.reason }];
      return [HttpStatus.ACCEPTED, { deliveryId, merchant: answer.merchant, isDueAlready: answer.reason === 'due-already' }];
    });
  }

  private async act<Message extends object>(
    request: Request,
    response: Response,
    Message: new () => Message,
    run: (message: Message) => Promise<readonly [status: number, body: object]>,
  ): Promise<void> {
    const read = await readAction(request, Message);
    if (read === 'aborted') return;
    if ('refused' in read) this.send(response, read.refused.status, { error: read.refused.error });
    else await this.answer(response, () => run(read.ok));
  }

  /** A store that is away is told as such; what else goes wrong is a fault of ours, and the filter's. */
  private async answer(response: Response, ask: () => Promise<readonly [status: number, body: object]>): Promise<void> {
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
