import { createParamDecorator, type ExecutionContext, Inject, Injectable, type PipeTransform } from '@nestjs/common';
import type { Clock, Failpoints } from '@app/kernel';
import { CLOCK, FAILPOINTS } from '@app/kernel/injection';
import { IDEMPOTENCY_KEY_HEADER, readIdempotencyKey, validateMessage } from '@app/gateway-protocol';
import { exchangeOf } from './exchange-of';
import type { GroupAExchange } from './group-a.exchange';
import type { AdmittedRequest } from './admitted-request';
import { refused } from './answer';

/**
 * Validates the fields of an authenticated request by the decorators of its message. It is our own because Nest's ValidationPipe repeats values in its
 * messages and hands unknown fields on.
 */
@Injectable()
class FieldsPipe implements PipeTransform<GroupAExchange, AdmittedRequest<object>> {
  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(FAILPOINTS) private readonly failpoints: Failpoints,
  ) {}

  transform(exchange: GroupAExchange): AdmittedRequest<object> {
    const { operation, form, sender, serial, callerTrace, deadline } = exchange;
    const valid = validateMessage(operation.message, form);
    if ('refused' in valid) return exchange.refuse(refused('malformed-field', valid.refused.message));
    const idempotencyKey = operation.isKeyed ? idempotencyKeyOf(exchange) : undefined;
    this.failpoints.reach('P1');
    const { entryPoint, merchant, amountMinor } = sender;
    const receivedAt = this.clock.now();
    return {
      operation: operation.name,
      message: valid.ok,
      entryPoint,
      merchant,
      amountMinor,
      serial,
      callerTrace,
      receivedAt,
      idempotencyKey,
      deadline,
    };
  }
}

const idempotencyKeyOf = (exchange: GroupAExchange): string | undefined => {
  const { request } = exchange.arrived;
  if (request.headers[IDEMPOTENCY_KEY_HEADER] === undefined) return undefined;
  const key = readIdempotencyKey(request.headersDistinct[IDEMPOTENCY_KEY_HEADER] ?? []);
  return 'refused' in key ? exchange.refuse(refused('malformed-field', key.refused.message)) : key.ok;
};

const exchangeParameter = createParamDecorator((_data: undefined, context: ExecutionContext): GroupAExchange => exchangeOf(context));

/** The admitted request as a controller's parameter: `@Admitted() request: AdmittedRequest<SaleRequest>`. */
export const Admitted = (): ParameterDecorator => exchangeParameter(FieldsPipe);
