import { createParamDecorator, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import type { Request } from 'express';
import { readAction, type ActionRefused } from './read-action';

/** The body of the request is not a valid message of the action. */
export class InvalidAction extends Error {
  constructor(readonly refused: ActionRefused) {
    super(refused.error);
  }
}

/** Behind the path of a message that stands in the body; alone it asks nothing. */
const NAMES = /\?./s;

/** Reads the message of an action from the body. Nest runs pipes after guards, so the body of an unauthenticated request is never read. */
class ActionPipe<Message extends object> implements PipeTransform<Request, Promise<Message>> {
  constructor(readonly Message: new () => Message) {}

  /** @throws InvalidAction */
  async transform(request: Request): Promise<Message> {
    // They would be passed over, and the message be taken as if they had not been there.
    if (NAMES.test(request.url))
      throw new InvalidAction({ status: 400, error: 'the question stands in the body: names in the path are not read' });
    const read = await readAction(request, this.Message);
    if ('refused' in read) throw new InvalidAction(read.refused);
    return read.ok;
  }
}

const requestParameter = createParamDecorator((_data: unknown, context: ExecutionContext): Request =>
  context.switchToHttp().getRequest<Request>(),
);

/** The parameter that takes the action's message, validated by its class. */
export const Action = (Message: new () => object): ParameterDecorator => requestParameter(new ActionPipe(Message));
