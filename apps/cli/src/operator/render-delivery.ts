import { unreachable } from '@app/kernel';
import type { DeliveryJson } from '@app/read-models/queries';
import type { Paint, Tone } from '../terminal/paint';
import { printable } from '../terminal/printable';
import { failureText } from '../order/event-description';
import { shownTime } from '../order/instant-text';

const TONES: Readonly<Record<DeliveryJson['status'], Tone>> = {
  untried: 'waiting',
  waiting: 'waiting',
  delivered: 'good',
  exhausted: 'bad',
};

const stepText = (step: DeliveryJson['steps'][number]): string => {
  switch (step.kind) {
    case 'delivered':
      return `try ${step.tryNumber}: delivered, HTTP ${step.httpStatus}`;
    case 'failed':
      return `try ${step.tryNumber}: ${failureText(step.failure)}, again at ${shownTime(step.nextTryAt)}`;
    case 'exhausted':
      return `try ${step.tryNumber}: ${failureText(step.failure)}, given up`;
    case 'resend-requested':
      return `${printable(step.actor)} wants it sent again`;
    default:
      return unreachable(step);
  }
};

/** A callback and each of its tries, one line each. */
export const renderDelivery = (record: DeliveryJson, paint: Paint): readonly string[] => {
  const { deliveryId, tellsOf, toldAt, status, nextTryAt, steps } = record;
  const next = nextTryAt === undefined ? '' : `, next try ${shownTime(nextTryAt)}`;
  return [
    `${paint('strong', deliveryId)}  tells of ${tellsOf} at ${shownTime(toldAt)}: ${paint(TONES[status], status)}${next}`,
    ...steps.map((step) => `  ${paint('faint', shownTime(step.at))}  ${stepText(step)}`),
  ];
};
