import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { IS_LOG_SHARED } from '@app/event-store/event-store.tokens';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { CLOCK, FAILPOINTS, IDS, MONOTONIC, RANDOM, SCHEDULER, provide, token } from '@app/kernel/injection';
import { CheckOrder } from '../application/gates/check-order';
import { NOTIFICATION_ADDRESSES, ORDERS_WATCH, PAYER_ADDRESSES } from '../orders.tokens';
import { OrderContexts } from '../application/order-context';
import { OrderRecorder } from '../application/order-recorder';
import { ScreenOrder } from '../application/rules/screen-order';
import { CallsUnderWay } from '../application/gates/calls-under-way';
import { GateCaller } from '../application/gates/gate-caller';
import { type GateCalling, gateCalling } from '../application/gates/gate-calling';
import { GateRoom } from '../application/gates/gate-room';
import { HoldClaim } from '../application/gates/hold-claim';
import { InquireAttempt } from '../application/gates/inquire-attempt';
import { SubmitAttempt } from '../application/gates/submit-attempt';

const GATE_CALLING = token<GateCalling>('GATE_CALLING');

/** How one process claims what it sends to gates, submits and inquires. */
export const attemptsProviders = [
  provide(
    GATE_CALLING,
    {
      contexts: OrderContexts,
      sealer: CARD_VAULT,
      digests: CARD_VAULT,
      clock: CLOCK,
      monotonic: MONOTONIC,
      random: RANDOM,
      scheduler: SCHEDULER,
      isShared: IS_LOG_SHARED,
      watch: ORDERS_WATCH,
    },
    ({ watch, ...ports }) =>
      gateCalling({
        ...ports,
        onAdapterError: (error, call) => watch.gateFailed(call, error),
        onLateAnswer: (call, answer) => watch.gateAnsweredLate(call, answer),
      }),
  ),
  provide(CallsUnderWay, { calling: GATE_CALLING }, ({ calling }) => calling.underWay),
  provide(HoldClaim, { calling: GATE_CALLING }, ({ calling }) => calling.claims),
  provide(GateCaller, { calling: GATE_CALLING }, ({ calling }) => calling.caller),
  provide(GateRoom, { underWay: CallsUnderWay }, ({ underWay }) => new GateRoom(underWay)),
  provide(
    SubmitAttempt,
    {
      recorder: OrderRecorder,
      caller: GateCaller,
      claims: HoldClaim,
      gates: GATES,
      vault: CARD_VAULT,
      sealer: CARD_VAULT,
      checking: CheckOrder,
      screening: ScreenOrder,
      payer: PAYER_ADDRESSES,
      notifications: NOTIFICATION_ADDRESSES,
      ids: IDS,
      failpoints: FAILPOINTS,
    },
    ({ recorder, caller, claims, gates, vault, sealer, checking, screening, payer, notifications, ids, failpoints }) =>
      new SubmitAttempt(recorder, caller, claims, gates, vault, sealer, checking, screening, payer, notifications, ids, failpoints),
  ),
  provide(
    InquireAttempt,
    { recorder: OrderRecorder, caller: GateCaller, gates: GATES, underWay: CallsUnderWay, sealer: CARD_VAULT },
    ({ recorder, caller, gates, underWay, sealer }) => new InquireAttempt(recorder, caller, gates, underWay, sealer),
  ),
];
