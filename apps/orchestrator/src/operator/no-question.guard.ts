import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { assertNoQuestion } from './question.pipe';

/** Before a route that can be asked one thing alone. Behind the guard of its controller, so that whoever has no token learns nothing of it. */
@Injectable()
export class NoQuestionGuard implements CanActivate {
  /** @throws InvalidAction */
  canActivate(context: ExecutionContext): boolean {
    assertNoQuestion(context.switchToHttp().getRequest<Request>());
    return true;
  }
}
