import type { AttemptEvent, LateResultConflict } from './attempt.events';
import type { CommissionDiffered, DeviceEvent } from './device.events';
import type { DisputeEvent } from './dispute.events';
import type { FinalEvent, OutcomeReconciled } from './final.events';
import type { FollowUpEvent, LateFollowUpConflict } from './follow-up.events';
import type { NextAttemptChosen } from './routing/routing-rules';
import type { OrderScreened } from './screening';

interface EventsByPart {
  readonly choice: NextAttemptChosen | OrderScreened;
  readonly device: DeviceEvent;
  readonly attempt: AttemptEvent;
  readonly end: FinalEvent;
  readonly 'follow-up': FollowUpEvent;
  readonly report: DisputeEvent;
  readonly reconciliation: OutcomeReconciled;
}

const PARTS: { readonly [Part in keyof EventsByPart as EventsByPart[Part]['type']]: Part } = {
  NextAttemptChosen: 'choice',
  OrderScreened: 'choice',
  MerchantChecked: 'device',
  MerchantCheckFailed: 'device',
  FeesOffered: 'device',
  FeeChosen: 'device',
  GateFeesOffered: 'device',
  GateFeeChosen: 'device',
  CommissionDiffered: 'device',
  CardsMapped: 'device',
  AttemptStarted: 'attempt',
  AttemptApproved: 'attempt',
  AttemptDeclined: 'attempt',
  AttemptTaken: 'attempt',
  AttemptUnknown: 'attempt',
  AttemptNotAsked: 'attempt',
  PayerChallenged: 'attempt',
  PayerReturned: 'attempt',
  AttemptSettled: 'attempt',
  LateResultConflict: 'attempt',
  OrderApproved: 'end',
  OrderDeclined: 'end',
  OrderFiltered: 'end',
  OrderFailed: 'end',
  FollowUpAccepted: 'follow-up',
  FollowUpStarted: 'follow-up',
  FollowUpUnknown: 'follow-up',
  FollowUpApproved: 'follow-up',
  FollowUpDeclined: 'follow-up',
  FollowUpFailed: 'follow-up',
  FollowUpSettled: 'follow-up',
  LateFollowUpConflict: 'follow-up',
  FollowUpReconciled: 'follow-up',
  ReversalReported: 'report',
  ChargebackReceived: 'report',
  RepresentmentReported: 'report',
  FraudWarningReceived: 'report',
  ReportSetAside: 'report',
  OutcomeReconciled: 'reconciliation',
};

export const isEventOf = <Part extends keyof EventsByPart>(
  event: { readonly type: string },
  ...parts: readonly Part[]
): event is EventsByPart[Part] => Object.hasOwn(PARTS, event.type) && parts.includes(PARTS[event.type as keyof typeof PARTS] as Part);

const CONTRADICTIONS: ReadonlySet<string> = new Set([
  'LateResultConflict',
  'LateFollowUpConflict',
  'CommissionDiffered',
] satisfies Contradiction['type'][]);

type Contradiction = LateResultConflict | LateFollowUpConflict | CommissionDiffered;

/** Money may differ from the log, so an operator has to be alerted (safety, I4). */
export const isContradiction = (event: { readonly type: string }): event is Contradiction => CONTRADICTIONS.has(event.type);
