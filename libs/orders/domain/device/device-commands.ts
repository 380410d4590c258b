import type { AttemptKey, GateAlias, Instant } from '@app/kernel';
import type { CardsMapped, CheckFailure, FeeOffer, MerchantChecked, DeviceEvent, DeviceStage } from '../device.events';
import type { Processing, ProcessingEvent, ProcessingRejection } from '../processing';

export type CheckResult =
  | ({
      readonly kind: 'passed';
      readonly offers: readonly FeeOffer[];
    } & Omit<MerchantChecked['data'], 'checkedAt'>)
  | { readonly kind: 'failed'; readonly cause: CheckFailure };

/** The assignedId that the consumer names: a gate of the plan, or an option that a gate offers. */
export type FeeName = GateAlias;

export type DeviceCommand =
  | { readonly type: 'RecordCheck'; readonly data: { readonly result: CheckResult; readonly now: Instant } }
  | { readonly type: 'ChooseFee'; readonly data: { readonly gate: FeeName; readonly now: Instant } }
  | { readonly type: 'DeclineAbsentChoice'; readonly data: { readonly now: Instant; readonly isTimeOver?: boolean } }
  | {
      readonly type: 'ConcludeOrder';
      readonly receiptId: string;
      readonly data: { readonly key: AttemptKey; readonly now: Instant } & Omit<CardsMapped['data'], 'mappedAt'>;
    };

type DeviceRejection = {
  readonly reason: 'not-checked' | 'fee-not-chosen' | 'fee-not-awaited' | 'fee-not-offered' | 'choice-too-late' | 'consumer-still-has-time';
};

const DEVICE_COMMANDS: { readonly [Type in DeviceCommand['type']]: Type } = {
  RecordCheck: 'RecordCheck',
  ChooseFee: 'ChooseFee',
  DeclineAbsentChoice: 'DeclineAbsentChoice',
  ConcludeOrder: 'ConcludeOrder',
};

export const isDeviceCommand = <Other extends { readonly type: string }>(command: DeviceCommand | Other): command is DeviceCommand =>
  Object.hasOwn(DEVICE_COMMANDS, command.type);

export interface DeviceOrder extends Processing {
  readonly device: DeviceStage;
}

export type DeviceOrderEvent = ProcessingEvent | DeviceEvent;
export type DeviceOrderRejection = ProcessingRejection | DeviceRejection;
