import type { DeviceOrder, Transaction } from '@app/device-client';
import type { TransferFee } from '@app/gateway-protocol';

type FeeDecision = Pick<TransferFee, 'assignedId' | 'commissionCentis'> | 'none';

export interface DeviceRecord {
  /** The app's name. Two apps share one phone and consumer. */
  readonly device: string;
  readonly number: number;
  readonly order: DeviceOrder;
  /** Only the last invoice was performed to the end. */
  readonly invoices: string[];
  readonly accepted: Transaction[];
  readonly finals: string[];
  fee: FeeDecision | undefined;
  /** The random sum entered for this invoice's card before its reuse; undefined for other orders. */
  readonly sumTold: { readonly sum: number; readonly invoiceId: string } | undefined;
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
