import { Inject, Injectable, SetMetadata, createParamDecorator, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Operator } from '@app/configuration';
import { OperatorAccess, type AccessRefused } from './operator-access';
import type { OperatorRequestName } from './operator-roles';

const REQUEST_NAME = 'operator:request';
const admitted = new WeakMap<Request, Operator>();

/** What a route is asked for, by which the guard knows who may ask. */
export const OperatorRequest = (name: OperatorRequestName) => SetMetadata(REQUEST_NAME, name);

/** What a route asks for, of its handler; undefined where it asks for nothing that a token is needed for. */
export const requestNameOf = (handler: object): OperatorRequestName | undefined =>
  Reflect.getMetadata(REQUEST_NAME, handler) as OperatorRequestName | undefined;

/** The operator whom the guard admitted. */
export const AskedBy = createParamDecorator((_data: unknown, context: ExecutionContext): Operator => {
  const operator = admitted.get(context.switchToHttp().getRequest<Request>());
  if (operator === undefined) throw new Error('a route of the operator port without its guard');
  return operator;
});

/** A request that `OperatorAccess` does not admit; its refusal is on record already. */
export class AccessDenied extends Error {
  constructor(readonly refused: AccessRefused) {
    super(refused.error);
  }
}

/** Lets a request to its route where the token in `Authorization` is that of an operator whose role may ask for it. */
@Injectable()
export class OperatorGuard implements CanActivate {
  constructor(@Inject(OperatorAccess) private readonly access: OperatorAccess) {}

  /** @throws AccessDenied */
  canActivate(context: ExecutionContext): boolean {
    const wanted = requestNameOf(context.getHandler());
    // A route that names nothing is open to nobody.
    if (wanted === undefined) throw new Error(`${context.getHandler().name}: a route of the operator port that names no request`);
    const request = context.switchToHttp().getRequest<Request>();
    const access = this.access.admit(request.headers.authorization, wanted);
    if ('refused' in access) throw new AccessDenied(access.refused);
    admitted.set(request, access.operator);
    return true;
  }
}
