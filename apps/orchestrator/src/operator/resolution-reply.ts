import { HttpStatus } from '@nestjs/common';
import { HttpReply } from '@app/http-server';
import type { Resolution } from './operator.service';

const RESOLUTION_STATUS: Readonly<Record<Resolution['reason'], number>> = {
  resolved: HttpStatus.OK,
  'unknown-order': HttpStatus.NOT_FOUND,
  'nothing-to-resolve': HttpStatus.CONFLICT,
  'flight-not-over': HttpStatus.CONFLICT,
};

/** The resolved order, or the reason why nothing was resolved. @param error of a refusal, where another than its reason is promised */
export const resolutionReply = (resolution: Resolution, error: string = resolution.reason): HttpReply =>
  HttpReply.json(RESOLUTION_STATUS[resolution.reason], resolution.reason === 'resolved' ? { order: resolution.order } : { error });
