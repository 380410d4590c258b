import type { GateAlias, MerchantLogin } from '@app/kernel';

/** Orders that are worked in one lane at one moment. */
export const ORDERS_WORKED_PER_LANE_MAX = 64;

/** The lane of work that may block: one merchant's at one gate, so that a silent gate holds up no other merchant (architecture, rule 9). */
export const workLane = (merchant: MerchantLogin, gate: GateAlias | 'payer'): string => `${merchant}/${gate}`;

/** Inquiries move no money, so they have a lane and room of their own beside what waits to be sent and what is silent. */
export const inquiryLane = (merchant: MerchantLogin, gate: GateAlias | 'follow-ups' | 'hosted-challenges'): string =>
  `${merchant}/${gate} inquiries`;
