import { f, type EventType } from '@app/event-store';
import { CHARGEBACK_STAGES, MISFIT_CAUSES, REPORT_KINDS, REPORT_SOURCES, REPRESENTMENT_OUTCOMES, type DisputeEvent } from '../domain';
import { callbacks, gateAlias } from './order-fields';

type DataOf<Type extends DisputeEvent['type']> = Extract<DisputeEvent, { readonly type: Type }>['data'];

const reported = () => ({
  gate: gateAlias(),
  reportId: f.gateReference(),
  source: f.oneOf(...REPORT_SOURCES),
  reasonCode: f.optional(f.text()),
  happenedAt: f.optional(f.instant()),
  receivedAt: f.instant(),
});

export const disputeEventTypes = (): { readonly [Type in DisputeEvent['type']]: EventType<DataOf<Type>> } => ({
  ReversalReported: {
    version: 1,
    meaning:
      'The acquirer refunded the payment, or released the authorisation, without a request of the service. The event id is the callback’s delivery id.',
    schema: f.object<DataOf<'ReversalReported'>>({
      ...reported(),
      operation: f.oneOf('reversal', 'cancel'),
      amount: f.money(),
      isAboveTaken: f.optional(f.bool()),
      callbacks: callbacks(),
    }),
  },
  ChargebackReceived: {
    version: 1,
    meaning: 'A chargeback: the issuer took the money back for the payer. The event id is the callback’s delivery id.',
    schema: f.object<DataOf<'ChargebackReceived'>>({
      ...reported(),
      stage: f.oneOf(...CHARGEBACK_STAGES),
      amount: f.money(),
      isAboveTaken: f.optional(f.bool()),
      callbacks: callbacks(),
      respondBy: f.optional(f.instant()),
    }),
  },
  RepresentmentReported: {
    version: 1,
    meaning:
      'A contested chargeback was won, which returns the money to the merchant, or lost. The event id is the callback’s delivery id.',
    schema: f.object<DataOf<'RepresentmentReported'>>({
      ...reported(),
      stage: f.oneOf(...CHARGEBACK_STAGES),
      outcome: f.oneOf(...REPRESENTMENT_OUTCOMES),
      amount: f.money(),
      callbacks: callbacks(),
    }),
  },
  FraudWarningReceived: {
    version: 1,
    meaning: 'The issuer suspects fraud. No money moves. The event id is the callback’s delivery id.',
    schema: f.object<DataOf<'FraudWarningReceived'>>({ ...reported(), amount: f.optional(f.money()), callbacks: callbacks() }),
  },
  ReportSetAside: {
    version: 1,
    meaning: 'A gate’s report does not fit the order. The event raises an alarm and changes nothing.',
    schema: f.object<DataOf<'ReportSetAside'>>({
      ...reported(),
      kind: f.oneOf(...REPORT_KINDS),
      cause: f.oneOf(...MISFIT_CAUSES),
      amount: f.optional(f.money()),
      stage: f.optional(f.oneOf(...CHARGEBACK_STAGES)),
      outcome: f.optional(f.oneOf(...REPRESENTMENT_OUTCOMES)),
    }),
  },
});
