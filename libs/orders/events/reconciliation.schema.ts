import { f, type EventType, type FieldsOf } from '@app/event-store';
import { RECONCILED_OUTCOMES, type FollowUpReconciled, type OutcomeReconciled } from '../domain';
import { attemptKey, callbacks, gateAlias } from './order-fields';

type Grounds = Pick<OutcomeReconciled['data'], 'caseId' | 'gate' | 'reason' | 'callbacks' | 'reconciledAt'>;

const grounds = (): FieldsOf<Grounds> => ({
  caseId: f.id(),
  gate: gateAlias(),
  reason: f.sealed(),
  callbacks: callbacks(),
  reconciledAt: f.instant(),
});

export const reconciliationEventTypes = (): { readonly OutcomeReconciled: EventType<OutcomeReconciled['data']> } => ({
  OutcomeReconciled: {
    version: 1,
    meaning:
      'The gate’s settlement contradicts the final outcome, and an operator applied the gate’s outcome. The order’s status changed. The event id is the callbacks’ delivery id.',
    schema: f.object<OutcomeReconciled['data']>({
      ...grounds(),
      attemptKey: attemptKey(),
      from: f.oneOf('approved', 'declined', 'error'),
      to: f.oneOf(...RECONCILED_OUTCOMES),
      amount: f.money(),
      receiptId: f.optional(f.id()),
    }),
  },
});

export const followUpReconciledType = (): EventType<FollowUpReconciled['data']> => ({
  version: 1,
  meaning:
    'The gate’s settlement contradicts the recorded outcome of the follow-up, and an operator applied the gate’s outcome. The event id is the callback’s delivery id.',
  schema: f.object<FollowUpReconciled['data']>({
    ...grounds(),
    number: f.int(),
    from: f.oneOf('approved', 'declined', 'failed'),
    to: f.oneOf(...RECONCILED_OUTCOMES),
  }),
});
