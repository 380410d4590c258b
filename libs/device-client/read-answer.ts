import { readDeviceMessage, readJson, type DeviceErrorCause } from '@app/gateway-protocol';
import type { Received } from './transport';
import type { MalformedAnswer, Outcome } from './outcome';

const FORBIDDEN = 403;

interface ErrorMessage<Cause extends DeviceErrorCause> {
  readonly error: { readonly cause: Cause; readonly code: string; readonly message: string };
}

export interface AnswerClasses<Message extends object, Cause extends DeviceErrorCause> {
  readonly Message: new () => Message;
  readonly ErrorMessage: new () => ErrorMessage<Cause>;
  readonly mismatch?: (message: Message) => string | undefined;
}

const isError = (json: unknown): boolean => typeof json === 'object' && json !== null && Object.hasOwn(json, 'error');

/** Ignores the HTTP code: failures come with 200 as well as with 4xx and 5xx (protocol decisions, section 8). */
export const readAnswer = <Message extends object, Cause extends DeviceErrorCause>(
  received: Received,
  { Message, ErrorMessage, mismatch }: AnswerClasses<Message, Cause>,
): Outcome<Message, Cause> => {
  if (received.kind !== 'received') return received;
  const { httpStatus, body } = received;
  const malformed = (fault: string): MalformedAnswer => ({ kind: 'malformed', httpStatus, fault });
  if (body.length === 0) return httpStatus === FORBIDDEN ? { kind: 'forbidden' } : malformed('body is empty');
  const json = readJson(body);
  if ('refused' in json) return malformed(json.refused.message);
  if (isError(json.ok)) {
    const read = readDeviceMessage(ErrorMessage, json.ok);
    if ('refused' in read) return malformed(read.refused.message);
    const { cause, code, message } = read.ok.error;
    return { kind: 'refused', cause, code, message };
  }
  const read = readDeviceMessage(Message, json.ok);
  if ('refused' in read) return malformed(read.refused.message);
  const fault = mismatch?.(read.ok);
  return fault === undefined ? { kind: 'answered', value: read.ok } : malformed(fault);
};
