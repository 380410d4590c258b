import { Inject, Injectable, SetMetadata, createParamDecorator, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Operator } from '@app/configuration';
import { token } from '@app/kernel/injection';
import { isOrderId } from '@app/kernel';
import { OperatorAccess, type AccessRefused, type OperatorRequestName, type OperatorSession } from '@app/investigation';
import { SessionCookies } from './session-cookies';

const REQUEST_NAME = 'operator:request';
const admitted = new WeakMap<Request, Operator>();
const opened = new WeakMap<Request, OperatorSession>();

interface OperatorListener {
  served(request: {
    readonly operation: OperatorRequestName;
    readonly orderId: string;
    readonly status: number;
    readonly durationMs: number;
  }): void;
}
export const OPERATOR_LISTENER = token<OperatorListener>('OPERATOR_LISTENER');

/** Names a route's request, by which the guard authorises its caller. */
export const OperatorRequest = (name: OperatorRequestName) => SetMetadata(REQUEST_NAME, name);

/** Undefined for a route that needs no token. */
export const requestNameOf = (handler: object): OperatorRequestName | undefined =>
  Reflect.getMetadata(REQUEST_NAME, handler) as OperatorRequestName | undefined;

export const CurrentOperator = createParamDecorator((_data: unknown, context: ExecutionContext): Operator => {
  const operator = admitted.get(context.switchToHttp().getRequest<Request>());
  if (operator === undefined) throw new Error('a route of the operator port without its guard');
  return operator;
});

/** Undefined for a request with a token. */
export const sessionOf = (request: Request): OperatorSession | undefined => opened.get(request);

/** The request was refused, and the refusal recorded. */
export class AccessDenied extends Error {
  constructor(readonly refused: AccessRefused) {
    super(refused.error);
  }
}

const READS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

@Injectable()
export class OperatorGuard implements CanActivate {
  constructor(
    @Inject(OperatorAccess) private readonly access: OperatorAccess,
    @Inject(OPERATOR_LISTENER) private readonly listener: OperatorListener,
    @Inject(SessionCookies) private readonly cookies: SessionCookies,
  ) {}

  /** @throws AccessDenied */
  canActivate(context: ExecutionContext): boolean {
    const wanted = requestNameOf(context.getHandler());
    // A route without a name fails, so that no role is guessed.
    if (wanted === undefined) throw new Error(`${context.getHandler().name}: a route of the operator port that names no request`);
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    admitted.set(request, this.admit(request, wanted, response));
    this.watchOrder(wanted, request, response);
    return true;
  }

  /**
   * Checks the caller, also again during a long answer.
   * @param response renews a session, so it must not have begun; absent if it has
   * @throws AccessDenied
   */
  admit(request: Request, wanted: OperatorRequestName, response?: Response): Operator {
    const { authorization, cookie } = request.headers;
    const access =
      authorization === undefined && cookie !== undefined
        ? this.admitSession(request, wanted, response)
        : this.access.admit(authorization, wanted);
    if ('refused' in access) throw new AccessDenied(access.refused);
    return access.operator;
  }

  private admitSession(request: Request, wanted: OperatorRequestName, response: Response | undefined) {
    const open = this.cookies.open(request);
    if (open !== undefined && !READS.has(request.method) && !this.cookies.isFromOwnPage(request)) return this.access.refusePage();
    const access = this.access.permit(open?.operator, wanted);
    if (open === undefined || 'refused' in access) return access;
    opened.set(request, open.session);
    if (open.renewed !== undefined && response !== undefined && wanted !== 'sign-out') this.cookies.renew(response, open.renewed);
    return access;
  }

  private watchOrder(operation: OperatorRequestName, { params }: Request, response: Response): void {
    const { orderId } = params;
    if (typeof orderId !== 'string' || !isOrderId(orderId)) return;
    const startedAt = performance.now();
    response.once('finish', () =>
      this.listener.served({ operation, orderId, status: response.statusCode, durationMs: performance.now() - startedAt }),
    );
  }
}
