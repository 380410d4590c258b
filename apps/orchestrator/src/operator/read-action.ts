import { plainToInstance } from 'class-transformer';
import type { Request } from 'express';
import { getMetadataStorage, Validator, type ValidationError } from 'class-validator';
import { readJson } from '@app/gateway-protocol';
import { bodyReader, type ReadBody } from '@app/http/server';
import { cardNumberFault } from './card-numbers-in-texts';

export interface ActionRefused {
  readonly status: 400 | 413 | 415 | 503;
  readonly error: string;
}

export type ReadAction<Message> = { readonly ok: Message } | { readonly refused: ActionRefused };

const BODY_BYTES_MAX = 16_384;
const readBody = bodyReader(BODY_BYTES_MAX);
const validator = new Validator();
const OPTIONS = {
  stopAtFirstError: true,
  forbidUnknownValues: true,
  // Of what is nested; the message itself is looked at before.
  whitelist: true,
  forbidNonWhitelisted: true,
  validationError: { target: false, value: false },
};

const refused = (status: ActionRefused['status'], error: string): { readonly refused: ActionRefused } => ({ refused: { status, error } });

const fieldsOf = (Message: new () => object): ReadonlySet<string> =>
  new Set(
    getMetadataStorage()
      .getTargetValidationMetadatas(Message, '', false, false)
      .map(({ propertyName }) => propertyName),
  );

const actionIn = <Message extends object>(read: ReadBody, Message: new () => Message): ReadAction<Message> => {
  if (read.kind === 'aborted') return refused(400, 'the request ended early');
  if (read.kind === 'unsupported') return refused(415, 'Content-Encoding must be identity');
  if (read.kind === 'too-large') return refused(413, `more than ${BODY_BYTES_MAX} bytes`);
  if (read.kind === 'no-room') return refused(503, 'too much is being read at the moment, nothing was done');
  // `JSON.parse` would take the second of two outcomes of an order.
  const json = readJson(read.body);
  if ('refused' in json) return refused(400, json.refused.message);
  const given = json.ok;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return refused(400, 'a JSON object is expected');
  const known = fieldsOf(Message);
  // An unknown member is most likely a misspelt one.
  if (Object.keys(given).some((name) => !known.has(name))) return refused(400, `members are ${[...known].join(', ')}`);
  const message = plainToInstance(Message, given);
  const [error] = validator.validateSync(message, OPTIONS);
  if (error !== undefined) return refused(400, faultOf(error));
  const fault = cardNumberFault(message);
  return fault === undefined ? { ok: message } : refused(400, fault);
};

/** The first fault, of what is nested too. */
export const faultOf = ({ constraints, children, property }: ValidationError): string => {
  const [below] = children ?? [];
  return Object.values(constraints ?? {})[0] ?? (below === undefined ? `${property} is not valid` : `${property}: ${faultOf(below)}`);
};

/** Reads the message of an action from JSON alone, since the form of a web page cannot send that content type. */
export const readAction = async <Message extends object>(request: Request, Message: new () => Message): Promise<ReadAction<Message>> => {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    return refused(415, 'Content-Type must be application/json');
  return readBody(request, (read) => Promise.resolve(actionIn(read, Message)));
};
