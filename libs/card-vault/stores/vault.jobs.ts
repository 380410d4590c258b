import type { KeyObject } from 'node:crypto';
import type { CardHandle, MerchantLogin } from '@app/kernel';
import type { KekId, KnownAnswer } from '../keys/key-ring';
import type { OrderKeyId } from '../port';
import type { Inserted, NewCard, OrderKeyBlock, RewrappedCard, RewrappedOrderKey } from '../vault-store';

/** The jobs of the writing thread and their results. */
export interface VaultJobs {
  /** The result is the fault, or undefined. */
  'recognise-keys': { job: { answers: readonly KnownAnswer[]; retired: readonly string[] }; result: string | undefined };
  'insert-card': { job: { card: NewCard }; result: Inserted };
  'shred-card': { job: { merchant: MerchantLogin; handle: CardHandle }; result: boolean };
  'mark-owned': { job: { merchant: MerchantLogin; handle: CardHandle }; result: boolean };
  /** The KEK is passed as a handle to shared memory, not as bytes. */
  'make-order-keys': { job: { count: number; kekId: KekId; kek: KeyObject }; result: OrderKeyBlock };
  /** The result lists unknown ids. */
  'erase-order-keys': { job: { ids: readonly OrderKeyId[] }; result: readonly OrderKeyId[] };
  /** The result counts what was still as read. */
  'replace-cards': { job: { rows: readonly RewrappedCard[] }; result: number };
  'replace-order-keys': { job: { rows: readonly RewrappedOrderKey[] }; result: number };
  /** Whether nothing shredded is left in the write-ahead log; where something is, it is folded in after this group. */
  'log-is-clean': { job: Record<never, never>; result: boolean };
}

export type VaultJobKind = keyof VaultJobs;
export type VaultJob<Kind extends VaultJobKind = VaultJobKind> = { [K in Kind]: { kind: K } & VaultJobs[K]['job'] }[Kind];
export type VaultJobResult<Kind extends VaultJobKind = VaultJobKind> = VaultJobs[Kind]['result'];
