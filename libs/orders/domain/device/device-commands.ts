import type { AttemptKey, GateAlias, Instant } from '@app/kernel';
import type { CardsMapped, CheckFailure, FeeOffer, MerchantChecked, DeviceEvent, DeviceStage } from '../device.events';
import type { Processing, ProcessingEvent, ProcessingRejection } from '../processing';

/** The merchant server's answer, compared with the order. */
export type CheckResult =
  | ({
      readonly kind: 'passed';
      /** One for each gate that named a fee; requested where the plan lets the consumer choose. */
      readonly offers: readonly FeeOffer[];
    } & Omit<MerchantChecked['data'], 'checkedAt'>)
  | { readonly kind: 'failed'; readonly cause: CheckFailure };

/** The assignedId that the consumer names: a gate of the plan, or an option that a gate offers. */
export type FeeName = GateAlias;

/** The commands of the device interface, beside those of every order. */
export type DeviceCommand =
  | { readonly type: 'RecordCheck'; readonly data: { readonly result: CheckResult; readonly now: Instant } }
  /** The consumer's choice (interface, section 3.2: Complete transfer). */
  | { readonly type: 'ChooseFee'; readonly data: { readonly gate: FeeName; readonly now: Instant } }
  /** `isTimeOver` has the meaning that it has for an absent payer. */
  | { readonly type: 'DeclineAbsentChoice'; readonly data: { readonly now: Instant; readonly isTimeOver?: boolean } }
  /** The cards have their references, and the merchant server was notified. */
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

/** An order of the device interface: every order's state, and the stage before its gates. */
export interface DeviceOrder extends Processing {
  readonly device: DeviceStage;
}

export type DeviceOrderEvent = ProcessingEvent | DeviceEvent;
export type DeviceOrderRejection = ProcessingRejection | DeviceRejection;
