import type { DeliveryRecord, DeliveryStep } from './delivery-records';

/** Times as ISO 8601. */
type Dated<Step> = Step extends unknown ? { readonly [Name in keyof Step]: Name extends 'at' | 'nextTryAt' ? string : Step[Name] } : never;

export interface DeliveryJson extends Omit<DeliveryRecord, 'toldAt' | 'nextTryAt' | 'steps'> {
  readonly toldAt: string;
  readonly nextTryAt?: string;
  readonly steps: readonly Dated<DeliveryStep>[];
}

const instant = (at: number): string => new Date(at).toISOString();

export const deliveryAsJson = ({ toldAt, nextTryAt, steps, ...delivery }: DeliveryRecord): DeliveryJson => ({
  ...delivery,
  toldAt: instant(toldAt),
  ...(nextTryAt !== undefined && { nextTryAt: instant(nextTryAt) }),
  steps: steps.map((step) => ({
    ...step,
    at: instant(step.at),
    ...('nextTryAt' in step && { nextTryAt: instant(step.nextTryAt) }),
  })) as readonly Dated<DeliveryStep>[],
});
