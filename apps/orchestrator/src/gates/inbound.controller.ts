import { All, Controller, HttpStatus, Inject, NotFoundException, Param, Req } from '@nestjs/common';
import { STATUS_CODES } from 'node:http';
import type { Request } from 'express';
import { RequestDeadlines } from '@app/event-store';
import type { InboundReply } from '@app/gateway-adapters/contract';
import { bodyReader, HttpReply, type ReadBody } from '@app/http/server';
import type { GateAlias } from '@app/kernel';
import { HearGate, isStoreAway, NoRoomForReport, type HearingWatch } from '@app/orders';
import { HEARING_WATCH } from '@app/orders/orders.tokens';
import { GATES_PATH } from './gate-addresses';
import { readInbound } from './inbound-request';

const BODY_BYTES_MAX = 65_536;
const readBody = bodyReader(BODY_BYTES_MAX);
const TEXT_TYPE = 'text/plain;charset=utf-8';

/** A status and its own name: never a word of what went wrong. */
const plain = (status: number): HttpReply =>
  new HttpReply({ status, contentType: TEXT_TYPE, body: `${STATUS_CODES[status] ?? 'Error'}\n` });

const BODY_REFUSALS: Readonly<Record<Exclude<ReadBody['kind'], 'read'>, HttpReply>> = {
  'too-large': plain(HttpStatus.PAYLOAD_TOO_LARGE),
  'no-room': plain(HttpStatus.SERVICE_UNAVAILABLE),
  unsupported: plain(HttpStatus.UNSUPPORTED_MEDIA_TYPE),
  aborted: plain(HttpStatus.BAD_REQUEST),
};

/** What an adapter must not answer would be no answer of HTTP. */
const isStatus = (status: number): boolean => Number.isInteger(status) && status >= 200 && status <= 599;

const replyOf = ({ status, contentType = TEXT_TYPE, body = '' }: InboundReply): HttpReply => {
  if (!isStatus(status)) throw new Error('an adapter answered with a status that is none');
  return new HttpReply({ status, contentType, body });
};

/** What gates tell by themselves. A gate that does not listen is as unknown as one that is not configured. */
@Controller(GATES_PATH)
export class InboundController {
  constructor(
    @Inject(HearGate) private readonly hearing: HearGate,
    @Inject(RequestDeadlines) private readonly deadlines: RequestDeadlines,
    @Inject(HEARING_WATCH) private readonly watch: HearingWatch,
  ) {}

  @All(':gate{/*path}')
  hear(@Param('gate') alias: string, @Param('path') path: readonly string[] | undefined, @Req() request: Request): Promise<HttpReply> {
    const gate = alias as GateAlias;
    if (!this.hearing.listens(gate)) throw new NotFoundException();
    if (request.method !== 'GET' && request.method !== 'POST') return Promise.resolve(HttpReply.methodNotAllowed('GET, POST'));
    return readBody(request, (read) => this.reply(gate, path ?? [], request, read));
  }

  private async reply(gate: GateAlias, path: readonly string[], message: Request, read: ReadBody): Promise<HttpReply> {
    if (read.kind !== 'read') return BODY_REFUSALS[read.kind];
    const inbound = readInbound(message, path, read.body);
    if ('status' in inbound) return plain(inbound.status);
    try {
      const { notified, request } = inbound;
      const answered = await this.deadlines.within((deadline) => this.hearing.hear(gate, notified, request, deadline));
      return answered === undefined ? plain(HttpStatus.NOT_FOUND) : replyOf(answered);
    } catch (error) {
      this.watch.hearingFailed(gate, error, inbound.notified?.stream);
      const isPassing = isStoreAway(error) || error instanceof NoRoomForReport;
      return plain(isPassing ? HttpStatus.SERVICE_UNAVAILABLE : HttpStatus.INTERNAL_SERVER_ERROR);
    }
  }
}
