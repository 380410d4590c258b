import { Inject, Injectable, MethodNotAllowedException, NotFoundException, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { contentTypeRefusal, FORM_BYTES_MAX, inKib, parseForm, SHORT_FORM_BYTES_MAX, type Form } from '@app/gateway-protocol';
import { bodyHolder, type ReadBody } from '@app/http-server';
import type { SerialSource } from '../request/serial-source';
import { refused } from './answers/answer';
import { GroupAExchange, NO_ROOM_STATUS, type EntryPointNamed, type GroupAExchangePorts } from './group-a.exchange';
import { AbortedRequest } from './refused-request';
import { operationOf } from './served-operation';

const METHOD = 'POST';
const TOO_LARGE_STATUS = 413;
/** For who comes while there is no room for his body. */
const NO_ROOM_MS = 1_000;

const holdLong = bodyHolder(FORM_BYTES_MAX);
const holdShort = bodyHolder(SHORT_FORM_BYTES_MAX);

export interface FormReadingPorts extends GroupAExchangePorts {
  readonly serials: SerialSource;
}

/** Reads the forms of requests; whatever becomes of one, it has a serial-number and a deadline from then on. */
export class FormReading {
  constructor(private readonly ports: FormReadingPorts) {}

  /** @throws RefusedRequest, and AbortedRequest for a sender who has gone away */
  async read(operation: GroupAExchange['operation'], request: Request, response: Response): Promise<void> {
    const startedAt = performance.now();
    const { formBytesMax } = operation;
    const body = await (formBytesMax === FORM_BYTES_MAX ? holdLong : holdShort)(request);
    const { read } = body;
    if (read.kind === 'aborted') {
      body.release();
      throw new AbortedRequest();
    }
    const { failpoints, serials, watch } = this.ports;
    failpoints.reach('P0');
    const exchange = GroupAExchange.begin({ operation, entryPoint: entryPointOf(request), request, response, body, startedAt }, this.ports);
    try {
      exchange.named(await serials.next());
    } catch (error) {
      watch.failed(exchange, error);
      exchange.refuse(refused('temporarily-unavailable'));
    }
    exchange.formRead(formIn(read, exchange));
  }
}

/** The first of the guards: it alone may wait for bytes, and nobody is asked for anything before they are counted. */
@Injectable()
export class FormReader implements CanActivate {
  constructor(@Inject(FormReading) private readonly forms: FormReading) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const [request, response] = context.getArgs<[Request, Response]>();
    // A path is what the interface writes, to the letter: nothing in it needs an escape (protocol decisions, section 1).
    if (request.path.includes('%')) throw new NotFoundException();
    if (request.method !== METHOD) {
      response.setHeader('Allow', METHOD);
      throw new MethodNotAllowedException();
    }
    await this.forms.read(operationOf(context), request, response);
    return true;
  }
}

const entryPointOf = ({ params: { endpointId, groupId } }: Request): EntryPointNamed =>
  groupId === undefined ? { kind: 'endpoint', id: String(endpointId) } : { kind: 'group', id: String(groupId) };

const formIn = (read: Exclude<ReadBody, { readonly kind: 'aborted' }>, exchange: GroupAExchange): Form => {
  const { operation, arrived } = exchange;
  if (read.kind === 'too-large')
    return exchange.refuse(refused('malformed-field', `The request is larger than ${inKib(operation.formBytesMax)}`), TOO_LARGE_STATUS);
  if (read.kind === 'no-room') return exchange.refuse({ ...refused('temporarily-unavailable'), retryAfterMs: NO_ROOM_MS }, NO_ROOM_STATUS);
  if (read.kind === 'unsupported') return exchange.refuse(refused('malformed-field', 'Content-Encoding must be identity'));
  const wrongType = contentTypeRefusal(arrived.request.headers['content-type']);
  const parsed = wrongType === undefined ? parseForm(read.body) : { refused: wrongType };
  return 'refused' in parsed ? exchange.refuse(refused('malformed-field', parsed.refused.message)) : parsed.ok;
};
