import {
  All,
  applyDecorators,
  SetMetadata,
  UseFilters,
  UseGuards,
  Inject,
  Injectable,
  MethodNotAllowedException,
  NotFoundException,
  type CanActivate,
  type ExecutionContext,
  Catch,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { GROUP_A_OPERATIONS, type GroupAMessage, type GroupAOperationKey } from '@app/gateway-protocol';
import type { AdmittedRequest } from './admitted-request';
import { type Answered, refused } from './answer';
import { OPERATION, type ServedOperation, operationOf } from './served-operation';
import { FormReader } from './form-reader';
import type { RateLimit } from '../request/rate-limit';
import { RATE_LIMIT } from '../request/request.tokens';
import { exchangeOf, requestIn } from './exchange-of';
import { AbortedRequest } from '../request/refused-request';
import { exchangeIn } from './group-a.exchange';
import { SenderVerifier } from './sender-verifier';

/** The second guard: authenticates the sender, so that an unauthenticated caller learns nothing about fields (protocol decisions, D4.3). */
@Injectable()
export class SenderGuard implements CanActivate {
  constructor(@Inject(SenderVerifier) private readonly senders: SenderVerifier) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const exchange = exchangeOf(context);
    const verified = await this.senders.verify(exchange.arrived.request, {
      operation: exchange.operation,
      entryPoint: exchange.arrived.entryPoint,
      form: exchange.form,
      exchange,
    });
    if ('refusal' in verified) {
      if (verified.merchant !== undefined) exchange.setClaimedMerchant(verified.merchant);
      return exchange.refuse(verified.refusal);
    }
    exchange.setSender(verified);
    return true;
  }
}

/** Answers whatever guards, pipes and controllers throw in the interface's form. An error before the form was read goes on to the program's filter. */
@Catch()
export class RefusalFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost): void {
    if (error instanceof AbortedRequest) return;
    const exchange = exchangeIn(requestIn(host));
    if (exchange === undefined) throw error;
    exchange.fail(error);
  }
}

/** The last guard: only authenticated requests count against a merchant's rate, so an unauthenticated caller cannot exhaust it (safety, T35). */
@Injectable()
class RateLimitGuard implements CanActivate {
  constructor(@Inject(RATE_LIMIT) private readonly rateLimit: RateLimit) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const exchange = exchangeOf(context);
    const admission = await this.rateLimit.admit(exchange.sender.merchant.login);
    if (admission.kind === 'limited') return exchange.refuse({ ...refused('rate-limited'), retryAfterMs: admission.retryAfterMs });
    return true;
  }
}

const METHOD = 'POST';

/** The first guard: no other one waits for bytes, and none asks a store before the body is counted. */
@Injectable()
class FormReaderGuard implements CanActivate {
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

/** The signature of a controller's method for one operation. */
type ServesOne<Key extends GroupAOperationKey> = (request: AdmittedRequest<GroupAMessage<Key>>) => Promise<Answered>;

/** The operations of a controller, one method each: `implements Serves<'capture' | 'void'>`. */
export type Serves<Keys extends GroupAOperationKey> = { readonly [Key in Keys]: ServesOne<Key> };

/** Compiles only on a method that has the operation's name and takes its message. */
type DecoratesOne<Key extends GroupAOperationKey> = <Method extends ServesOne<Key>>(
  target: object,
  name: Key,
  method: TypedPropertyDescriptor<Method>,
) => void;

/**
 * Serves an operation of the table at each of its paths, by endpoint and by group. Every verb is routed here, so that a wrong one is answered with 405 and
 * not with 404 (protocol decisions, D1.3). The form is read in a guard, because Nest runs guards first and the signature is checked over the form.
 */
export const GroupAOperation = <Key extends GroupAOperationKey>(key: Key): DecoratesOne<Key> => {
  const operation: ServedOperation = GROUP_A_OPERATIONS[key];
  return applyDecorators(
    All(operation.paths.flatMap((path) => [`${path}/:endpointId`, `${path}/group/:groupId`])),
    SetMetadata(OPERATION, operation),
    UseGuards(FormReaderGuard, SenderGuard, RateLimitGuard),
    UseFilters(RefusalFilter),
  );
};
