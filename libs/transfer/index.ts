export * from './application/perform.handler';
export * from './transfer.codec';
export * from './transfer.context';
export * from './transfer.stream';
