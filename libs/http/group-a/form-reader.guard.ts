import { Inject, Injectable, MethodNotAllowedException, NotFoundException, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { FormReader } from './form-reader';
import { operationOf } from './served-operation';

const METHOD = 'POST';

/** The first guard: no other one waits for bytes, and none asks a store before the body is counted. */
@Injectable()
export class FormReaderGuard implements CanActivate {
  constructor(@Inject(FormReader) private readonly forms: FormReader) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const [request, response] = context.getArgs<[Request, Response]>();
    // No path of the interface needs an escape, so an escaped spelling is another path (protocol decisions, D1.3).
    if (request.path.includes('%')) throw new NotFoundException();
    if (request.method !== METHOD) {
      response.setHeader('Allow', METHOD);
      throw new MethodNotAllowedException();
    }
    await this.forms.read(operationOf(context), request, response);
    return true;
  }
}
