import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { CLOCK, provide } from '@app/injection';
import { InquireAttempt } from '../attempts/application/inquire-attempt';
import { InquireFollowUp } from '../follow-ups/application/inquire-follow-up';
import { ResolveUnknownFollowUp } from '../follow-ups/application/resolve-unknown-follow-up';
import { OrderContexts } from '../order/application/order-context';
import { OrderRecorder } from '../order/application/order-recorder';
import { ResolveUnknownOutcome } from '../order/application/resolve-unknown-outcome';
import { ReconcileOrder } from './application/reconcile-order';

/** What changes a final status. */
export const reconciliationProviders = [
  provide(
    ReconcileOrder,
    {
      contexts: OrderContexts,
      recorder: OrderRecorder,
      sealer: CARD_VAULT,
      clock: CLOCK,
      attempts: InquireAttempt,
      followUps: InquireFollowUp,
      unknownOutcomes: ResolveUnknownOutcome,
      unknownFollowUps: ResolveUnknownFollowUp,
    },
    (ports) => new ReconcileOrder(ports),
  ),
];
