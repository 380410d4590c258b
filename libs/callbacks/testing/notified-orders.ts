import type { EventId, StreamName } from '@app/event-store';
import { Secret, type Instant, type MerchantLogin } from '@app/kernel';
import type { CallbackMerchants } from '../deliveries/deliver-callback.reactor';
import type { CallbackFact, CallbackFacts } from '../deliveries/callback-request';

export interface NotifiedOrder {
  readonly factId: EventId;
  readonly stream: StreamName;
  readonly fact: CallbackFact;
}

/** No two orders have the same callback. */
export const notifiedOrder = (index: number, merchant: string): NotifiedOrder => {
  const digits = index.toString(16).padStart(12, '0');
  return {
    factId: `5a17c0de-0000-5000-8000-${digits}` as EventId,
    stream: `payment-${merchant}${index}` as StreamName,
    fact: {
      kind: 'callback',
      url: `https://${merchant}.example/callback`,
      source: 'request',
      merchant: merchant as MerchantLogin,
      recordedAt: 0 as Instant,
      correlation: `00000000-0000-0000-0000-${digits}`,
      members: { status: 'approved', orderid: `p${index}`, client_orderid: `order-${index}`, type: 'sale', name: 'John Smith' },
    },
  };
};

export const factsOf = (orders: readonly NotifiedOrder[]): CallbackFacts => {
  const byId = new Map(orders.map((order) => [order.factId, order]));
  return {
    factOf: async (stream, factId) => {
      const order = byId.get(factId);
      return order?.stream === stream ? order.fact : undefined;
    },
  };
};

export const merchantsNamed = (...logins: readonly string[]): CallbackMerchants => ({
  merchant: (login) =>
    logins.includes(login)
      ? { controlKey: new Secret(`control-key-of-${login}`), callback: { method: 'post-json' }, cardMapping: 'notify' }
      : undefined,
});
