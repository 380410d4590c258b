import type { GateAlias, MerchantLogin } from '@app/kernel';

/** What work may block: one merchant's at one gate, so that a gate that is silent holds up nobody else (architecture, rule 9). */
export const workLane = (merchant: MerchantLogin, gate: GateAlias | 'payer'): string => `${merchant}/${gate}`;
