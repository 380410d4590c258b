import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import type { Request } from 'express';
import { getMetadataStorage, Validator, type ValidationError } from 'class-validator';
import type { ServerResponse } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { looksLikeCardNumber, looksLikeCardNumberInReference } from '@app/event-store';
import { readJson } from '@app/gateway-protocol';
import { bodyReader, type ReadBody } from '@app/http/server';
import { EndableDeadline, type Deadline } from '@app/kernel';

const REFERENCE = 'operator:reference';
const NOT_RECORDED = 'operator:not-on-record';
const always = (): boolean => true;

/**
 * Marks a member that holds a reference, digest or amount, which may resemble a card number.
 * @param applies whether it does in this message
 */
export const Reference =
  <Message extends object>(applies: (message: Message) => boolean = always): PropertyDecorator =>
  (target, property) =>
    Reflect.defineMetadata(REFERENCE, applies, target, String(property));

/** Marks a member that is never stored as text, such as a cursor. A cursor may resemble a card number, and refusing it would cut a list short. */
export const NotRecorded = (): PropertyDecorator => (target, property) =>
  Reflect.defineMetadata(NOT_RECORDED, true, target, String(property));

const holdsCardNumber = (message: object, name: string, text: string): boolean => {
  if (Reflect.hasMetadata(NOT_RECORDED, message, name)) return false;
  const isReference = Reflect.getMetadata(REFERENCE, message, name) as ((message: object) => boolean) | undefined;
  return isReference?.(message) === true ? looksLikeCardNumberInReference(text) : looksLikeCardNumber(text);
};

/** The fault if a text of a message resembles a card number, because operators' texts are stored. Every member is searched unless it is marked. */
export const cardNumberFault = (message: object): string | undefined => {
  for (const [name, value] of Object.entries(message) as readonly (readonly [string, unknown])[]) {
    if (typeof value === 'string' && holdsCardNumber(message, name, value)) return `${name} must not contain what looks like a card number`;
    const below = typeof value === 'object' && value !== null ? cardNumberFault(value) : undefined;
    if (below !== undefined) return `${name}: ${below}`;
  }
  return undefined;
};

export interface ActionRefused {
  readonly status: 400 | 413 | 415 | 503;
  readonly error: string;
}

type ReadAction<Message> = { readonly ok: Message } | { readonly refused: ActionRefused };

const BODY_BYTES_MAX = 16_384;
const readBody = bodyReader(BODY_BYTES_MAX);
const validator = new Validator();
const OPTIONS = {
  stopAtFirstError: true,
  forbidUnknownValues: true,
  // Applies to nested objects; the message itself was checked before.
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
  // Refuses duplicate members: `JSON.parse` would take the second of two outcomes.
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

export const faultOf = ({ constraints, children, property }: ValidationError): string => {
  const [below] = children ?? [];
  return Object.values(constraints ?? {})[0] ?? (below === undefined ? `${property} is not valid` : `${property}: ${faultOf(below)}`);
};

/** Reads an action from JSON only, because a web page's form cannot send that content type. */
export const readAction = async <Message extends object>(request: Request, Message: new () => Message): Promise<ReadAction<Message>> => {
  if (!/^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    return refused(415, 'Content-Type must be application/json');
  return readBody(request, (read) => Promise.resolve(actionIn(read, Message)));
};

/** Closing the connection after the answer ends it too, which is harmless. */
const untilClosed = (response: ServerResponse): Deadline => {
  const deadline = new EndableDeadline();
  if (response.destroyed) deadline.end();
  else response.once('close', () => deadline.end());
  return deadline;
};

/** A deadline that ends when the caller disconnects, so that a long query stops. */
export const CallerDeadline = createParamDecorator((_data: unknown, context: ExecutionContext): Deadline =>
  untilClosed(context.switchToHttp().getResponse<ServerResponse>()),
);
