import { createParamDecorator, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import type { Request } from 'express';
import { readAction, type ActionRefused } from './read-action';

/** The body is none of the action's. */
export class ActionUnread extends Error {
  constructor(readonly refused: ActionRefused) {
    super(refused.error);
  }
}

/** Makes the message of an action from the body of its request; behind the guard, so that a stranger's body is not read. */
export class ActionPipe<Message extends object> implements PipeTransform<Request, Promise<Message>> {
  constructor(private readonly Message: new () => Message) {}

  /** @throws ActionUnread */
  async transform(request: Request): Promise<Message> {
    const read = await readAction(request, this.Message);
    if ('refused' in read) throw new ActionUnread(read.refused);
    return read.ok;
  }
}

const body = createParamDecorator((_data: unknown, context: ExecutionContext): Request => context.switchToHttp().getRequest<Request>());

/** A parameter that is the action wanted, read as its class says. */
export const Action = (Message: new () => object): ParameterDecorator => body(new ActionPipe(Message));
