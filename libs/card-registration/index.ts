export { cardRegistrationCodec } from './application/card-registration.codec';
export { CARD_REFERENCE_CATEGORY, cardReferenceStream } from './application/card-registration.stream';
export { type GateTokenNews, gateTokenWork, wantedGateOf } from './application/gate-token-work';
export { issuedReference, IssuedReferences } from './application/issued-references';
export { KeepGateToken } from './application/keep-gate-token.reactor';
export { MapCards } from './application/map-cards';
export { RegisterCardHandler } from './application/register-card.handler';
export { EndReference } from './application/shred-card.handler';
