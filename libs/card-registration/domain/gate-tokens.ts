import { unreachable, type Decider, type GateAlias, type Instant, type NonEmpty } from '@app/kernel';
import type { GateApproval } from '@app/orders/domain';
import type { CardRegistrationEvent, GateTokenEvent, TokenRefusal } from './card-registration.events';
import { evolve, type CardRegistration, type TokensOfCard } from './card-registration.state';

/** Records the gate's word on a token that was wanted of it. */
export interface RecordGateToken {
  readonly type: 'RecordGateToken';
  readonly data: {
    readonly gate: GateAlias;
    readonly told: { readonly kind: 'registered'; readonly token: string } | { readonly kind: 'refused'; readonly cause: TokenRefusal };
    readonly now: Instant;
  };
}

export interface GateTokenRejection {
  readonly reason: 'nothing-new';
}

/**
 * What the approval of the order that proved the card tells of the card at its gate, as far as it is not known yet: what came with the approval is kept,
 * and what the gate gives when it is asked is wanted.
 */
export const tokensOf = (
  approval: GateApproval,
  { canRegister, known, now }: { readonly canRegister: boolean; readonly known: TokensOfCard; readonly now: Instant },
): readonly GateTokenEvent[] => {
  const { gate, attemptKey, gateOrderId, cardToken, networkTransactionId } = approval;
  const { atGates, wanted, refusedBy } = known;
  const events: GateTokenEvent[] = [];
  const isKnown = atGates.tokens.some((one) => one.gate === gate);
  if (networkTransactionId !== undefined && atGates.networkTransactionId === undefined) {
    events.push({ type: 'NetworkTransactionKept', data: { gate, networkTransactionId, keptAt: now } });
  }
  if (cardToken !== undefined) {
    if (!isKnown) events.push({ type: 'GateTokenKept', data: { gate, token: cardToken, keptAt: now } });
  } else if (canRegister && !isKnown && !refusedBy.includes(gate) && !wanted.some((one) => one.gate === gate)) {
    const named = { gate, attemptKey, ...(gateOrderId !== undefined && { gateOrderId }) };
    events.push({ type: 'GateTokenWanted', data: { ...named, wantedAt: now } });
  }
  return events;
};

const recordGateToken = ({ data }: RecordGateToken, state: CardRegistration): NonEmpty<CardRegistrationEvent> | GateTokenRejection => {
  const { gate, told, now } = data;
  if (state.status !== 'issued' || !state.wanted.some((one) => one.gate === gate)) return { reason: 'nothing-new' };
  switch (told.kind) {
    case 'registered':
      return [{ type: 'GateTokenKept', data: { gate, token: told.token, keptAt: now } }];
    case 'refused':
      return [{ type: 'GateTokenRefused', data: { gate, cause: told.cause, refusedAt: now } }];
    default:
      return unreachable(told);
  }
};

/** What gates answer when they are asked for tokens; only what is wanted is recorded, and once. */
export const gateTokens: Decider<RecordGateToken, CardRegistrationEvent, CardRegistration, GateTokenRejection> = {
  initial: { status: 'none' },
  evolve,
  decide: recordGateToken,
};
