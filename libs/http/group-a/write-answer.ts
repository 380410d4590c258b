import type { Request, Response } from 'express';
import {
  inWireOrder,
  messagePage,
  PAGE_POLICY,
  REFUSAL_FIELDS,
  refusalResponse,
  writeAnswer,
  type AnswerBody,
  ASYNC_FIELDS,
  type AsyncResponse,
} from '@app/gateway-protocol';
import { HTML_TYPE, sendAnswer } from '../server/http-answer';
import type { AccessDenied, Answer, Accepted } from './answer';

/** The fields of the answer to an accepted request (interface, section 2.4). */
const asyncAnswer = (serial: string, { clientOrderId, orderId, endpointId }: Accepted): readonly (readonly [string, string])[] => {
  const response: AsyncResponse = {
    type: 'async-response',
    'serial-number': serial,
    'merchant-order-id': clientOrderId,
    'paynet-order-id': orderId,
    'end-point-id': endpointId,
  };
  return inWireOrder(ASYNC_FIELDS, response);
};

/** One page for every cause, so that it gives no hint (interface, section 5.2; safety, T8). */
const DENIED_PAGE = messagePage({ title: 'Access is denied', message: 'Access is denied.' });

export interface AnswerToWrite {
  readonly answer: Answer | AccessDenied;
  readonly httpStatus: number;
  readonly clientOrderId: string | undefined;
  /** The request's own serial-number, by which logs name it; empty where none was assigned. */
  readonly ownSerial: string;
  /** The serial-number in the answer. */
  readonly serial: string;
}

/** Writes an answer in the form that its request accepts. */
export const writeGroupAAnswer = (
  request: Request,
  response: Response,
  { answer, httpStatus: status, clientOrderId, ownSerial, serial }: AnswerToWrite,
): void => {
  const requestId = ownSerial === '' ? undefined : ownSerial;
  const retryAfterMs = answer.kind === 'refused' ? answer.retryAfterMs : undefined;
  if (retryAfterMs !== undefined) response.setHeader('Retry-After', String(Math.ceil(retryAfterMs / 1_000)));
  if (answer.kind === 'access-denied')
    sendAnswer(response, { status: 403, contentType: HTML_TYPE, policy: PAGE_POLICY, body: DENIED_PAGE, requestId });
  else sendAnswer(response, { status, ...bodyOf(request, answer, clientOrderId, serial), requestId });
};

const bodyOf = (request: Request, answer: Answer, clientOrderId: string | undefined, serialNumber: string): AnswerBody => {
  const { accept } = request.headers;
  if (answer.kind === 'answer') return writeAnswer(accept, answer.pairs);
  if (answer.kind === 'accepted') return writeAnswer(accept, asyncAnswer(serialNumber, answer));
  const response = refusalResponse({ name: answer.name, serialNumber, clientOrderId, message: answer.message });
  return writeAnswer(accept, inWireOrder(REFUSAL_FIELDS, response));
};
