export * from './application/perform.handler';
export * from './device-verification.codec';
export * from './device-verification.context';
export * from './device-verification.stream';
