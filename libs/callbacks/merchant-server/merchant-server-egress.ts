import type { Scheduler } from '@app/kernel';
import { openEgress, type Egress, type EgressPolicy } from '@app/http/client';
import { ORDERS_WORKED_PER_LANE_MAX, SUBMITS_PER_LANE_MAX, UNDER_WAY_PER_MERCHANT_MAX } from '@app/orders';

/** First gates of one merchant's orders that are busy at one moment, so that the calls of each have a place. */
const BUSY_LANES = 2;
/** Merchant servers that hang at one moment, each with all its calls, while every other is still called. */
const HANGING_SERVERS = 16;
/** What one merchant's orders may ask and report at one moment: a call that finds no place would look as if its server were away. */
const CALLS_PER_SERVER_MAX = BUSY_LANES * (SUBMITS_PER_LANE_MAX + ORDERS_WORKED_PER_LANE_MAX) + UNDER_WAY_PER_MERCHANT_MAX;

/** The way out to merchant servers alone: callbacks that pile up before one of them take no place of its checks. */
export const merchantServerEgress = (policy: EgressPolicy, scheduler: Scheduler): Egress =>
  openEgress({
    policy,
    scheduler,
    limits: { perOriginMax: CALLS_PER_SERVER_MAX, inAllMax: HANGING_SERVERS * CALLS_PER_SERVER_MAX },
  });
