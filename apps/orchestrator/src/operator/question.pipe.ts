import { createParamDecorator, ValidationPipe, type ExecutionContext } from '@nestjs/common';
import * as transformerPackage from 'class-transformer';
import * as validatorPackage from 'class-validator';
import type { Request } from 'express';
import { InvalidAction } from './action.pipe';
import { cardNumberFault, faultOf } from './read-action';

const QUERY_LENGTH_MAX = 8_192;

const refused = (error: string): InvalidAction => new InvalidAction({ status: 400, error });

/** Replaces Express's parser, which is off. Refuses a repeated name, because one of its values would be ignored. */
const queryOf = ({ url }: Pick<Request, 'url'>): Readonly<Record<string, string>> => {
  const from = url.indexOf('?');
  if (from < 0) return {};
  if (url.length - from > QUERY_LENGTH_MAX) throw refused(`the query is longer than ${QUERY_LENGTH_MAX} characters`);
  const given = [...new URLSearchParams(url.slice(from + 1))];
  if (new Set(given.map(([name]) => name)).size < given.length) throw refused('each query parameter may occur only once');
  // Validation ignores names that every object inherits.
  const inherited = given.find(([name]) => name in Object.prototype);
  if (inherited !== undefined) throw refused(`property ${inherited[0]} should not exist`);
  return Object.fromEntries(given);
};

const assertNoBody = ({ headers }: Pick<Request, 'headers'>): void => {
  if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0)
    throw refused('send the request as query parameters: a body is not accepted');
};

/** For routes without parameters, which would be ignored. @throws InvalidAction */
export const assertNoQuestion = (request: Pick<Request, 'url' | 'headers'>): void => {
  const [name] = Object.keys(queryOf(request));
  if (name !== undefined) throw refused(`property ${name} should not exist`);
  assertNoBody(request);
};

/** Nest's validation with the operator port's errors. */
class QuestionPipe extends ValidationPipe {
  constructor(readonly Message: new () => object) {
    super({
      expectedType: Message,
      // Passed in, because the pipe would import it late and end the process if that fails.
      validatorPackage,
      transformerPackage,
      // By default, the pipe skips parameters with custom decorators.
      validateCustomDecorators: true,
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      forbidUnknownValues: true,
      stopAtFirstError: true,
      validationError: { target: false, value: false },
      exceptionFactory: ([error]: validatorPackage.ValidationError[]) =>
        refused(error === undefined ? 'the query is not valid' : faultOf(error)),
    });
  }

  /** @throws InvalidAction */
  override async transform(value: unknown, metadata: Parameters<ValidationPipe['transform']>[1]): Promise<unknown> {
    const message = (await super.transform(value, metadata)) as object;
    const fault = cardNumberFault(message);
    if (fault !== undefined) throw refused(fault);
    return message;
  }
}

const queryParameter = createParamDecorator((_data: unknown, context: ExecutionContext): Readonly<Record<string, string>> => {
  const request = context.switchToHttp().getRequest<Request>();
  assertNoBody(request);
  return queryOf(request);
});

export const Question = (Message: new () => object): ParameterDecorator => queryParameter(new QuestionPipe(Message));

/** Reads a query string. @throws InvalidAction */
export const readQuestion = async <Message extends object>(Message: new () => Message, request: Pick<Request, 'url'>): Promise<Message> =>
  (await new QuestionPipe(Message).transform(queryOf(request), { type: 'custom', metatype: Message })) as Message;
