import { Inject, Injectable, NotFoundException, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { BodyBuffer } from '../server/read-body';
import type { ArrivedRequest, Exchange, RequestPorts } from './exchange';
import { REQUEST_PORTS } from './request.tokens';

/** The sender closed the connection early. Neither answered nor reported. */
export class AbortedRequest extends Error {
  constructor() {
    super('the request was not sent to its end');
  }
}

export interface Dialect {
  isPath(request: Request): boolean;
  refuseMethod(arrived: ArrivedRequest, ports: RequestPorts): never;
  begin(arrived: ArrivedRequest, ports: RequestPorts): Exchange;
}

export interface ServedOperation {
  readonly operation: ArrivedRequest['operation'];
  readonly dialect: Dialect;
  readonly hold: BodyBuffer;
}

export const OPERATION = 'operation';

const METHOD = 'POST';

/**
 * Reads the body and starts the exchange, so that a refusal also has a serial-number and a deadline.
 * @throws RefusedRequest, AbortedRequest
 */
const readRequest = async (
  { operation, dialect, hold }: ServedOperation,
  [request, response]: readonly [Request, Response],
  ports: RequestPorts,
): Promise<true> => {
  if (!dialect.isPath(request)) throw new NotFoundException();
  const arrived = { operation, request, response, startedAt: performance.now() };
  if (request.method !== METHOD) {
    response.setHeader('Allow', METHOD);
    return dialect.refuseMethod({ ...arrived, releaseBody: () => undefined }, ports);
  }
  const { read, release } = await hold(request);
  if (read.kind === 'aborted') {
    release();
    throw new AbortedRequest();
  }
  ports.failpoints.reach('P0');
  await dialect.begin({ ...arrived, releaseBody: release }, ports).receive(read);
  return true;
};

/** The first guard: other guards never wait for bytes, and no store is read before the body is counted. */
@Injectable()
export class BodyGuard implements CanActivate {
  constructor(@Inject(REQUEST_PORTS) private readonly ports: RequestPorts) {}

  canActivate(context: ExecutionContext): Promise<true> {
    const served = Reflect.getMetadata(OPERATION, context.getHandler()) as ServedOperation | undefined;
    if (served === undefined) throw new Error(`${context.getHandler().name} serves no operation`);
    return readRequest(served, [context.getArgByIndex<Request>(0), context.getArgByIndex<Response>(1)], this.ports);
  }
}
