export { built, made, provide } from './provide';
export { BOOT_ID, CLOCK, FAILPOINTS, IDS, MONOTONIC, RANDOM, SCHEDULER, SystemModule } from './system.module';
export { type Injectable, token, type Token } from './token';
