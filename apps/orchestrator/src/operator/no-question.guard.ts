import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { assertNoQuestion } from './question.pipe';

/** For routes without parameters. Runs after the controller's guard, so that an unauthenticated caller learns nothing. */
@Injectable()
export class NoQuestionGuard implements CanActivate {
  /** @throws InvalidAction */
  canActivate(context: ExecutionContext): boolean {
    assertNoQuestion(context.switchToHttp().getRequest<Request>());
    return true;
  }
}
