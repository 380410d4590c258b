import { createParamDecorator, Inject, Injectable, type ExecutionContext, type PipeTransform } from '@nestjs/common';
import type { Clock, Failpoints } from '@app/kernel';
import { CLOCK, FAILPOINTS } from '@app/injection';
import { IDEMPOTENCY_KEY_HEADER, readIdempotencyKey, validateMessage } from '@app/gateway-protocol';
import type { AdmittedRequest } from './admitted-request';
import { refused } from './answers/answer';
import { exchangeOf } from './exchange-of';
import type { GroupAExchange } from './group-a.exchange';

/**
 * Reads the fields of a request whose sender is known, by the decorators of its message: our own validation, for the framework's would name values and
 * takes what it does not know.
 */
@Injectable()
export class FieldsPipe implements PipeTransform<GroupAExchange, AdmittedRequest<object>> {
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
    exchange.admitted();
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

/** Undefined where none was sent (protocol decisions, section 10). */
const idempotencyKeyOf = (exchange: GroupAExchange): string | undefined => {
  const { request } = exchange.arrived;
  if (request.headers[IDEMPOTENCY_KEY_HEADER] === undefined) return undefined;
  const key = readIdempotencyKey(request.headersDistinct[IDEMPOTENCY_KEY_HEADER] ?? []);
  return 'refused' in key ? exchange.refuse(refused('malformed-field', key.refused.message)) : key.ok;
};

const exchangeParameter = createParamDecorator((_data: undefined, context: ExecutionContext): GroupAExchange => exchangeOf(context));

/** The request as a context is given it: `@Admitted() request: AdmittedRequest<SaleRequest>`. */
export const Admitted = (): ParameterDecorator => exchangeParameter(FieldsPipe);
