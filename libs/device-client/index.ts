export * from './cadence';
export * from './device-client';
export * from './device-order';
export type { DeviceRun, DeviceSession } from './device-session';
export type { DeviceStatus } from './device-status';
export type { FollowEnding } from './follow';
export * from './outcome';
export * from './settings';
export type { Watcher } from './watcher';
