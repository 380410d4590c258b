import type { AttemptKey, Instant, NonEmpty, Sealed } from '@app/kernel';
import type { FeeOffer, GateFee } from './device.events';

/**
 * What comes between the acceptance of an order of the device interface and its gates: the merchant server's check and, where the consumer chooses
 * the rates, the choice (interface, section 3.2; protocol decisions, section 8).
 */
export type DeviceStage =
  | { readonly status: 'unchecked' }
  | { readonly status: 'checked' }
  | { readonly status: 'fee-offered'; readonly offers: NonEmpty<FeeOffer>; readonly choiceDueAt: Instant }
  | { readonly status: 'fee-chosen'; readonly chosen: FeeOffer }
  /** The gate of this attempt asks the consumer itself; the attempt is under way. */
  | {
      readonly status: 'gate-fee-offered';
      readonly attemptKey: AttemptKey;
      readonly offers: NonEmpty<GateFee>;
      readonly session: Sealed;
      readonly choiceDueAt: Instant;
    }
  | {
      readonly status: 'gate-fee-chosen';
      readonly attemptKey: AttemptKey;
      readonly chosen: GateFee;
      readonly session: Sealed;
      readonly chosenAt: Instant;
    };

/** True while the gate waits for the choice, and once it is made: the gate has heard of the attempt. */
export const isAtGateFees = (stage: DeviceStage | undefined): boolean =>
  stage?.status === 'gate-fee-offered' || stage?.status === 'gate-fee-chosen';
