export * from './configuration-in-force';
export * from './configuration-record.codec';
export * from './configuration-record.events';
export * from './record-configuration';
export * from './redacted-configuration';
