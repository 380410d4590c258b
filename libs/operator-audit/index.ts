export * from './operator-audit';
export * from './operator-audit.codec';
export * from './operator-audit.events';
