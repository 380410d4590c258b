import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { CLOCK, provide } from '@app/kernel/injection';
import { InquireAttempt } from '../application/gates/inquire-attempt';
import { InquireFollowUp } from '../application/work/inquire-follow-up';
import { ResolveUnknownFollowUp } from '../application/work/resolve-unknown-follow-up';
import { OrderContexts } from '../application/order-context';
import { OrderRecorder } from '../application/order-recorder';
import { ResolveUnknownOutcome } from '../application/work/resolve-unknown-outcome';
import { ReconcileOrder } from '../application/work/reconcile-order';

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
