import type { DeviceOrder, Transaction } from '@app/device-client';
import type { TransferFee } from '@app/gateway-protocol';

/** A gate's alias and the commission in minor units, or that none was chosen. */
type FeeDecision = Pick<TransferFee, 'assignedId' | 'commissionCentis'> | 'none';

/** What the app of one device went through with one order. */
export interface DeviceRecord {
  /** The name of the app; two of them are on one phone, of one consumer. */
  readonly device: string;
  readonly number: number;
  readonly order: DeviceOrder;
  /** Invoices that were opened for it; only the last one was performed to the end. */
  readonly invoices: string[];
  readonly accepted: Transaction[];
  /** The state that was final, or the cause of the failure that ended it, as often as the app asked: twice. */
  readonly finals: string[];
  /** What its consumer decided of the fees of a transfer. */
  fee: FeeDecision | undefined;
  /** The random sum that its consumer told for the card of this invoice, before the card was used again; of no order else. */
  readonly sumTold: { readonly sum: number; readonly invoiceId: string } | undefined;
  /** What the final statuses say of it. */
  readonly sumChecked: Set<string | undefined>;
  isOver: boolean;
}

export const recordOf = (device: string, number: number, order: DeviceOrder, sumTold?: DeviceRecord['sumTold']): DeviceRecord => ({
  device,
  number,
  order,
  invoices: [],
  accepted: [],
  finals: [],
  fee: undefined,
  sumTold,
  sumChecked: new Set(),
  isOver: false,
});
