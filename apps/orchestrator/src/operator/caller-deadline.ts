import type { ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { EndableDeadline, type Deadline } from '@app/kernel';

/** A connection that is closed behind the answer ends it too, when nothing is left to stop. */
const untilClosed = (response: ServerResponse): Deadline => {
  const deadline = new EndableDeadline();
  if (response.destroyed) deadline.end();
  else response.once('close', () => deadline.end());
  return deadline;
};

/** The parameter that takes a deadline which is over once nobody waits for the answer: a question may read for long, and then reads no further. */
export const CallerDeadline = createParamDecorator((_data: unknown, context: ExecutionContext): Deadline =>
  untilClosed(context.switchToHttp().getResponse<ServerResponse>()),
);
