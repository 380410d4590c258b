import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { CLOCK, FAILPOINTS, IDS, provide } from '@app/kernel/injection';
import { CallsUnderWay } from '../application/gates/calls-under-way';
import { GateCaller } from '../application/gates/gate-caller';
import { HoldClaim } from '../application/gates/hold-claim';
import { NOTIFICATION_ADDRESSES } from '../orders.tokens';
import { OrderContexts } from '../application/order-context';
import { OrderRecorder } from '../application/order-recorder';
import { InquireFollowUp } from '../application/work/inquire-follow-up';
import { RequestFollowUpHandler } from '../application/work/request-follow-up.handler';
import { ResolveUnknownFollowUp } from '../application/work/resolve-unknown-follow-up';
import { SubmitFollowUp } from '../application/work/submit-follow-up';
import { WorkFollowUp } from '../application/work/work-follow-up.reactor';

/** Captures, returns and voids of an order. */
export const followUpsProviders = [
  provide(
    RequestFollowUpHandler,
    { contexts: OrderContexts, gates: GATES, sealer: CARD_VAULT, clock: CLOCK, failpoints: FAILPOINTS },
    (ports) => new RequestFollowUpHandler(ports),
  ),
  provide(
    SubmitFollowUp,
    {
      recorder: OrderRecorder,
      caller: GateCaller,
      claims: HoldClaim,
      gates: GATES,
      notifications: NOTIFICATION_ADDRESSES,
      ids: IDS,
      clock: CLOCK,
      failpoints: FAILPOINTS,
    },
    ({ recorder, caller, claims, gates, notifications, ids, clock, failpoints }) =>
      new SubmitFollowUp(recorder, caller, claims, gates, notifications, ids, clock, failpoints),
  ),
  provide(
    InquireFollowUp,
    { recorder: OrderRecorder, caller: GateCaller, gates: GATES, notifications: NOTIFICATION_ADDRESSES, underWay: CallsUnderWay },
    ({ recorder, caller, gates, notifications, underWay }) => new InquireFollowUp(recorder, caller, gates, notifications, underWay),
  ),
  provide(
    WorkFollowUp,
    {
      contexts: OrderContexts,
      submitting: SubmitFollowUp,
      inquiring: InquireFollowUp,
      underWay: CallsUnderWay,
      clock: CLOCK,
    },
    ({ contexts, submitting, inquiring, underWay, clock }) => new WorkFollowUp(contexts, submitting, inquiring, underWay, clock),
  ),
  provide(
    ResolveUnknownFollowUp,
    { contexts: OrderContexts, recorder: OrderRecorder, sealer: CARD_VAULT, clock: CLOCK },
    ({ contexts, recorder, sealer, clock }) => new ResolveUnknownFollowUp(contexts, recorder, sealer, clock),
  ),
];
