import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { exchangeOf } from './exchange-of';
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
