import { createParamDecorator, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import type { Request } from 'express';
import { readAction, type ActionRefused } from './read-action';

export class InvalidAction extends Error {
  constructor(readonly refused: ActionRefused) {
    super(refused.error);
  }
}

/** A single `?` at the end of a path is harmless. */
const NAMES = /\?./s;

/** Nest runs pipes after guards, so the body of an unauthenticated request is never read. */
class ActionPipe<Message extends object> implements PipeTransform<Request, Promise<Message>> {
  constructor(readonly Message: new () => Message) {}

  /** @throws InvalidAction */
  async transform(request: Request): Promise<Message> {
    // Query parameters would be ignored without notice.
    if (NAMES.test(request.url))
      throw new InvalidAction({ status: 400, error: 'send the request in the body: query parameters are not accepted' });
    const read = await readAction(request, this.Message);
    if ('refused' in read) throw new InvalidAction(read.refused);
    return read.ok;
  }
}

const requestParameter = createParamDecorator((_data: unknown, context: ExecutionContext): Request =>
  context.switchToHttp().getRequest<Request>(),
);

export const Action = (Message: new () => object): ParameterDecorator => requestParameter(new ActionPipe(Message));
