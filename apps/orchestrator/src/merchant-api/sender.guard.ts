import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { exchangeOf } from './exchange-of';
import { SenderVerifier } from './sender/sender-verifier';

/** The second of the guards: who sent the request. Before it nobody learns anything of fields (protocol decisions, section 4). */
@Injectable()
export class SenderGuard implements CanActivate {
  constructor(@Inject(SenderVerifier) private readonly senders: SenderVerifier) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const exchange = exchangeOf(context);
    const sender = await this.senders.verify(exchange.arrived.request, {
      operation: exchange.operation,
      entryPoint: exchange.arrived.entryPoint,
      form: exchange.form,
      named: exchange,
    });
    if ('refusal' in sender) {
      if (sender.merchant !== undefined) exchange.merchantNamed(sender.merchant);
      return exchange.refuse(sender.refusal);
    }
    exchange.sentBy(sender);
    return true;
  }
}
