import { f } from '@app/event-store';
import type { AttemptKey, GateAlias } from '@app/kernel';
import { CALLBACK_TARGETS, type CallbackTarget, type RandomSumDigest, type Receipt } from './domain';

/** Fields that several events of an order share. */
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
    commission: f.optional(f.money()),
    randomSum: f.optional(f.hash<RandomSumDigest>()),
  });
