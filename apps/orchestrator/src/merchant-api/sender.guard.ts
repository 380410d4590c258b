import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { exchangeOf } from './group-a.exchange';
import { RefusedRequest } from './refused-request';
import { SenderVerifier } from './sender/sender-verifier';

/** The second of the guards: who sent the request. Before it nobody learns anything of fields (protocol decisions, section 4). */
@Injectable()
export class SenderGuard implements CanActivate {
  constructor(@Inject(SenderVerifier) private readonly senders: SenderVerifier) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const exchange = exchangeOf(context.switchToHttp().getRequest<Request>());
    if (exchange === undefined) throw new Error('the form is read before its sender is asked for');
    const sender = await this.senders.verify(exchange.arrived.request, {
      operation: exchange.operation,
      entryPoint: exchange.arrived.entryPoint,
      form: exchange.form,
      named: exchange,
    });
    if ('refusal' in sender) {
      if (sender.merchant !== undefined) exchange.merchantNamed(sender.merchant);
      throw new RefusedRequest(sender.refusal);
    }
    exchange.sentBy(sender);
    return true;
  }
}
