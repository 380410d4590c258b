import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { CLOCK, MONOTONIC, RANDOM, SCHEDULER, provide } from '@app/kernel/injection';
import { CallsUnderWay } from '../application/gates/calls-under-way';
import { CARD_MAPPING, MERCHANT_SERVER, ORDERS_WATCH } from '../orders.tokens';
import { OrderRecorder } from '../application/order-recorder';
import { CheckOrder } from '../application/gates/check-order';
import { ChooseFee } from '../application/work/choose-fee';
import { ConcludeOrder } from '../application/work/conclude-order';
import { InlineConclusion } from '../application/work/inline-conclusion';
import { QuoteFees } from '../application/gates/quote-fees';
import { RandomSums } from '../application/gates/random-sums';
import { TellFeeChoice } from '../application/work/tell-fee-choice';

/** What stands around the gates in the device interface: check, fees, conclusion. */
export const deviceProviders = [
  provide(RandomSums, { store: REQUEST_EVENT_STORE, digests: CARD_VAULT }, ({ store, digests }) => new RandomSums(store, digests)),
  provide(
    QuoteFees,
    { gates: GATES, scheduler: SCHEDULER, random: RANDOM, watch: ORDERS_WATCH },
    ({ gates, scheduler, random, watch }) => new QuoteFees(gates, scheduler, random, (error, gate) => watch.gateFailed({ gate }, error)),
  ),
  provide(
    CheckOrder,
    {
      merchantServer: MERCHANT_SERVER,
      recorder: OrderRecorder,
      fees: QuoteFees,
      randomSums: RandomSums,
      clock: CLOCK,
      scheduler: SCHEDULER,
    },
    (ports) => new CheckOrder(ports),
  ),
  provide(
    ConcludeOrder,
    {
      mapping: CARD_MAPPING,
      merchantServer: MERCHANT_SERVER,
      randomSums: RandomSums,
      recorder: OrderRecorder,
      clock: CLOCK,
    },
    (ports) => new ConcludeOrder(ports),
  ),
  provide(
    InlineConclusion,
    { concluding: ConcludeOrder, clock: CLOCK, watch: ORDERS_WATCH },
    ({ concluding, clock, watch }) =>
      new InlineConclusion(concluding, clock, (stream, error) => watch.workFailed({ stream, task: 'conclude' }, error)),
  ),
  provide(
    TellFeeChoice,
    { gates: GATES, sealer: CARD_VAULT, underWay: CallsUnderWay, scheduler: SCHEDULER, random: RANDOM, watch: ORDERS_WATCH },
    ({ watch, ...ports }) => new TellFeeChoice({ ...ports, onAdapterError: (error, call) => watch.gateFailed(call, error) }),
  ),
  provide(
    ChooseFee,
    { recorder: OrderRecorder, telling: TellFeeChoice, clock: CLOCK, monotonic: MONOTONIC },
    (ports) => new ChooseFee(ports),
  ),
];
