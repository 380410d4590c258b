import { Inject, Injectable, SetMetadata, createParamDecorator, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Operator } from '@app/configuration';
import { token } from '@app/kernel/injection';
import { isOrderId } from '@app/kernel';
import { OperatorAccess, type AccessRefused, type OperatorRequestName } from '@app/investigation';

const REQUEST_NAME = 'operator:request';
const admitted = new WeakMap<Request, Operator>();

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

/** The request was refused, and the refusal recorded. */
export class AccessDenied extends Error {
  constructor(readonly refused: AccessRefused) {
    super(refused.error);
  }
}

@Injectable()
export class OperatorGuard implements CanActivate {
  constructor(
    @Inject(OperatorAccess) private readonly access: OperatorAccess,
    @Inject(OPERATOR_LISTENER) private readonly listener: OperatorListener,
  ) {}

  /** @throws AccessDenied */
  canActivate(context: ExecutionContext): boolean {
    const wanted = requestNameOf(context.getHandler());
    // A route without a name fails, so that no role is guessed.
    if (wanted === undefined) throw new Error(`${context.getHandler().name}: a route of the operator port that names no request`);
    const request = context.switchToHttp().getRequest<Request>();
    admitted.set(request, this.admit(request, wanted));
    this.watchOrder(wanted, request, context.switchToHttp().getResponse<Response>());
    return true;
  }

  /** Checks the caller, also again during a long answer. @throws AccessDenied */
  admit({ headers }: Request, wanted: OperatorRequestName): Operator {
    const access = this.access.admit(headers.authorization, wanted);
    if ('refused' in access) throw new AccessDenied(access.refused);
    return access.operator;
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
