import { createParamDecorator, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, Validator } from 'class-validator';
import type { Request } from 'express';
import { InvalidAction } from './action.pipe';

const validator = new Validator();
const OPTIONS = { stopAtFirstError: true, forbidUnknownValues: true, validationError: { target: false, value: false } };
const PARAMETERS_MAX = 20;

const fieldsOf = (Query: new () => object): ReadonlySet<string> =>
  new Set(
    getMetadataStorage()
      .getTargetValidationMetadatas(Query, '', false, false)
      .map(({ propertyName }) => propertyName),
  );

const refused = (error: string): InvalidAction => new InvalidAction({ status: 400, error });

/** Reads a question from the query string: each parameter once, and none that the question does not have. */
export class QuestionPipe<Query extends object> implements PipeTransform<Request, Query> {
  constructor(private readonly Query: new () => Query) {}

  /** @throws InvalidAction */
  transform({ url }: Request): Query {
    const given = [...new URL(url, 'http://operator').searchParams];
    const known = fieldsOf(this.Query);
    if (given.length > PARAMETERS_MAX || given.some(([name]) => !known.has(name))) throw refused(`parameters are ${[...known].join(', ')}`);
    const names = given.map(([name]) => name);
    const twice = names.find((name, index) => names.indexOf(name) < index);
    if (twice !== undefined) throw refused(`${twice} stands twice`);
    const query = plainToInstance(this.Query, Object.fromEntries(given));
    const [error] = validator.validateSync(query, OPTIONS);
    if (error !== undefined) throw refused(Object.values(error.constraints ?? {})[0] ?? `${error.property} is not valid`);
    return query;
  }
}

const requestParameter = createParamDecorator((_data: unknown, context: ExecutionContext): Request =>
  context.switchToHttp().getRequest<Request>(),
);

/** The parameter that takes the question of the query string, validated by its class. */
export const Question = (Query: new () => object): ParameterDecorator => requestParameter(new QuestionPipe(Query));
