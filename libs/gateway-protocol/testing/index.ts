export * from './device-samples';
