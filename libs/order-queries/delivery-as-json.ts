import type { DeliveryRecord } from './delivery-records';

const instant = (at: number): string => new Date(at).toISOString();

/** A delivery with its times as ISO 8601. */
export const deliveryAsJson = ({ toldAt, nextTryAt, steps, ...delivery }: DeliveryRecord): object => ({
  ...delivery,
  toldAt: instant(toldAt),
  ...(nextTryAt !== undefined && { nextTryAt: instant(nextTryAt) }),
  steps: steps.map(({ at, ...step }) => ({
    at: instant(at),
    ...step,
    ...('nextTryAt' in step && { nextTryAt: instant(step.nextTryAt) }),
  })),
});
