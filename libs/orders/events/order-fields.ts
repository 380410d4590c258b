import { f } from '@app/event-store';
import type { AttemptKey, GateAlias } from '@app/kernel';
import { CALLBACK_TARGETS, type CallbackTarget, type Loyalty, type RandomSumDigest, type Receipt } from '../domain';

export const attemptKey = () => f.id<AttemptKey>();
export const gateAlias = () => f.id<GateAlias>();
export const callbacks = () => f.list<readonly CallbackTarget[]>(f.oneOf(...CALLBACK_TARGETS));

export const receipt = () =>
  f.object<Receipt>({
    transactionId: f.gateReference(),
    processedAt: f.instant(),
    rrn: f.optional(f.gateReference()),
    terminalId: f.optional(f.gateReference()),
    payerAuthentication: f.optional(f.oneOf('AUTHENTICATED', 'NOT_AUTHENTICATED', 'UNSUPPORTED', 'UNKNOWN')),
    eci: f.optional(f.gateReference()),
    gateOrderId: f.optional(f.gateReference()),
    cardToken: f.optional(f.gateReference()),
    networkTransactionId: f.optional(f.gateReference()),
    loyalty: f.optional(
      f.object<Loyalty>({
        balance: f.optional(f.text()),
        message: f.optional(f.text()),
        bonus: f.optional(f.text()),
        program: f.optional(f.text()),
      }),
    ),
    commission: f.optional(f.money()),
    randomSum: f.optional(f.hash<RandomSumDigest>()),
  });
