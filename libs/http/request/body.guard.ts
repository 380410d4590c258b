import { Inject, Injectable, NotFoundException, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { BodyHolder } from '../server/read-body';
import type { ArrivedRequest, Exchange, RequestPorts } from './exchange';
import { REQUEST_PORTS } from './request.tokens';

/** Thrown where the sender closed the connection before the request was complete: it is neither answered nor reported. */
export class AbortedRequest extends Error {
  constructor() {
    super('the request was not sent to its end');
  }
}

/** How the requests of one group differ from the other's. */
export interface Dialect {
  /** Whether the spelling of the path is one of the interface. */
  isPath(request: Request): boolean;
  /** Answers a request that is no POST. */
  refuseMethod(arrived: ArrivedRequest, ports: RequestPorts): never;
  begin(arrived: ArrivedRequest, ports: RequestPorts): Exchange;
}

/** The row of a controller's method in the table of operations, with the way in which its requests are read. */
export interface ServedOperation {
  readonly operation: ArrivedRequest['operation'];
  readonly dialect: Dialect;
  readonly hold: BodyHolder;
}

/** The metadata key of a controller method's operation. */
export const OPERATION = 'operation';

const METHOD = 'POST';

/** Reads the body and begins the exchange, so that even a refused request has a serial-number and a deadline. @throws RefusedRequest, AbortedRequest */
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

/** The first guard: no other one waits for bytes, and nothing is read from a store before the bytes of the body are counted. */
@Injectable()
export class BodyGuard implements CanActivate {
  constructor(@Inject(REQUEST_PORTS) private readonly ports: RequestPorts) {}

  canActivate(context: ExecutionContext): Promise<true> {
    const served = Reflect.getMetadata(OPERATION, context.getHandler()) as ServedOperation | undefined;
    if (served === undefined) throw new Error(`${context.getHandler().name} serves no operation`);
    return readRequest(served, [context.getArgByIndex<Request>(0), context.getArgByIndex<Response>(1)], this.ports);
  }
}
