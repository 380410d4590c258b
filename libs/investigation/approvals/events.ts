export type { ActionProposed, ApprovalEvent } from './domain/approval';
