import type { AttemptKey, GateAlias, Instant } from '@app/kernel';
import type { SentFollowUp, SentRequest } from '@app/gateway-adapters/contract';
import { isAtHostedChallenge, isPayerBack, type Attempts, type FollowUp } from '../../domain';
import { sentAttempt, sentFollowUp } from './sent-requests';
import type { OpenOrder } from '../order-context';

/** What one gate was sent under one key, as the log has it. */
export type SentUnderKey =
  | {
      readonly kind: 'attempt';
      readonly request: SentRequest;
      /** When something last left under the key; absent for an attempt that another one followed. */
      readonly sentAt?: Instant;
      /** The second leg of 3-D Secure has left: a word about the first one decides nothing any more. */
      readonly isPayerBack: boolean;
    }
  | { readonly kind: 'follow-up'; readonly number: number; readonly request: SentFollowUp; readonly sentAt: Instant };

/** Undefined where the order's stream knows no such key at this gate: no gate speaks for another. */
export const sentUnderKey = (open: OpenOrder, gate: GateAlias, key: AttemptKey): SentUnderKey | undefined => {
  const { attempts, followUps } = open.processing;
  if (attempts.status !== 'none') {
    const isOfGate = (one: { readonly key: AttemptKey; readonly gate: GateAlias }): boolean => one.key === key && one.gate === gate;
    if (isOfGate(attempts)) {
      const { sentAt } = attempts;
      return { kind: 'attempt', request: sentAttempt(open, attempts), sentAt, isPayerBack: isPayerBack(attempts) };
    }
    const before = attempts.earlier.find(isOfGate);
    if (before !== undefined) return { kind: 'attempt', request: sentAttempt(open, before), isPayerBack: false };
  }
  for (const followUp of followUps) {
    if (followUp.status === 'accepted' || followUp.key !== key || followUp.gate !== gate) continue;
    return { kind: 'follow-up', number: followUp.number, request: sentFollowUp(open, followUp, { key }), sentAt: followUp.startedAt };
  }
  return undefined;
};

/** Whether the gate owes the outcome of this order's newest attempt. */
export const isOpenAttempt = (attempts: Attempts, gate: GateAlias): boolean =>
  attempts.status !== 'none' &&
  attempts.gate === gate &&
  (attempts.status === 'started' || attempts.status === 'unknown' || attempts.status === 'payer-returned' || isAtHostedChallenge(attempts));

const isOpenFollowUp = (followUp: FollowUp, gate: GateAlias): boolean =>
  followUp.gate === gate && (followUp.status === 'started' || followUp.status === 'unknown');

/** Whether the gate still owes an outcome of this order, so that asking it may tell something new. */
export const owesOutcome = ({ processing: { attempts, followUps } }: OpenOrder, gate: GateAlias): boolean =>
  isOpenAttempt(attempts, gate) || followUps.some((followUp) => isOpenFollowUp(followUp, gate));
