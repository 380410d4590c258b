export { cardRegistrationCodec, CARD_REFERENCE_CATEGORY, cardReferenceStream } from './application/card-registration.codec';
export { type GateTokenListener, gateTokenWork, wantedGateOf, KeepGateToken } from './application/keep-gate-token.reactor';
export { issuedReference, IssuedReferences } from './application/issued-references';
export { MapCards } from './application/map-cards';
export { RegisterCardHandler } from './application/register-card.handler';
export { EndReference } from './application/shred-card.handler';
