export * from './application/issued-references';
export * from './application/gate-token-work';
export * from './application/keep-gate-token.reactor';
export * from './application/map-cards';
export * from './application/register-card.handler';
export * from './application/shred-card.handler';
export * from './card-registration.codec';
export * from './card-registration.stream';
