export * from './close-server';
export * from './http-answer';
export * from './limited-express.adapter';
export * from './method-not-allowed';
export * from './plain-exception.filter';
export * from './program-life';
export * from './read-body';
export * from './service-log';
