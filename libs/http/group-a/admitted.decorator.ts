import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { exchangeOf } from './exchange-of';
import { FieldsPipe } from './fields.pipe';
import type { GroupAExchange } from './group-a.exchange';

const exchangeParameter = createParamDecorator((_data: undefined, context: ExecutionContext): GroupAExchange => exchangeOf(context));

/** The admitted request as a controller's parameter: `@Admitted() request: AdmittedRequest<SaleRequest>`. */
export const Admitted = (): ParameterDecorator => exchangeParameter(FieldsPipe);
