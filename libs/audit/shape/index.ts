export * from './audit-format';
export * from './audit-instant';
