import type { GateAlias, MerchantLogin } from '@app/kernel';

/** Orders that are worked in one lane at one moment. */
export const ORDERS_WORKED_PER_LANE_MAX = 64;

/** What work may block: one merchant's at one gate, so that a gate that is silent holds up nobody else (architecture, rule 9). */
export const workLane = (merchant: MerchantLogin, gate: GateAlias | 'payer'): string => `${merchant}/${gate}`;

/** What is asked there moves no money: neither what waits to be sent nor what was sent and is silent holds it up, and its room is its own. */
export const inquiryLane = (merchant: MerchantLogin, gate: GateAlias | 'follow-ups'): string => `${merchant}/${gate} inquiries`;
