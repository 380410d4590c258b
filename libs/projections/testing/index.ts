export * from './memory-database';
export type { DiskCopy, SpoiltRow } from './disk-copy';
