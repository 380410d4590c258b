import {
  applyDecorators,
  Catch,
  Controller,
  HttpStatus,
  UseFilters,
  UseGuards,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { Response } from 'express';
import { VaultUnavailable } from '@app/card-vault';
import { LogDamaged } from '@app/investigation';
import { BrokenChain, OutcomeUnknown, StoreUnavailable } from '@app/event-store';
import { HttpReply, sendAnswer } from '@app/http/server';
import { CannotApply } from '@app/read-models';
import { InvalidAction } from './action.pipe';
import { AccessDenied, OperatorGuard } from './operator.guard';

type Refusal = AccessDenied | BrokenChain | CannotApply | InvalidAction | LogDamaged | OutcomeUnknown | StoreUnavailable | VaultUnavailable;

const HEADERS: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': 'Bearer' },
  429: { 'Retry-After': '60' },
};

const replyTo = (error: Refusal): HttpReply => {
  if (error instanceof AccessDenied) {
    const { status, error: text } = error.refused;
    return HttpReply.json(status, { error: text }, HEADERS[status]);
  }
  if (error instanceof InvalidAction) return HttpReply.json(error.refused.status, { error: error.refused.error });
  if (error instanceof BrokenChain) {
    const { stream, revision } = error.event;
    // The caller must learn that a record was changed, and where.
    const told = `the hash chain of ${stream} is broken at revision ${revision}: run orch log verify`;
    return HttpReply.json(HttpStatus.INTERNAL_SERVER_ERROR, { error: told });
  }
  // A changed event may make no sense before its broken chain is met.
  if (error instanceof CannotApply)
    return HttpReply.json(HttpStatus.INTERNAL_SERVER_ERROR, {
      error: `the events of this record contradict each other (${error.message}): run orch log verify`,
    });
  if (error instanceof LogDamaged)
    return HttpReply.json(HttpStatus.INTERNAL_SERVER_ERROR, { error: `${error.message}: run orch log verify` });
  return error instanceof OutcomeUnknown
    ? HttpReply.json(HttpStatus.GATEWAY_TIMEOUT, { error: 'the outcome is unknown: check it, then repeat the request' })
    : HttpReply.json(HttpStatus.SERVICE_UNAVAILABLE, { error: 'a store does not respond, nothing was done' });
};

/** Answers the port's expected errors as JSON. Any other error is a bug, for the program's filter. */
@Catch(AccessDenied, BrokenChain, CannotApply, InvalidAction, LogDamaged, OutcomeUnknown, StoreUnavailable, VaultUnavailable)
export class OperatorFilter implements ExceptionFilter<Refusal> {
  catch(error: Refusal, host: ArgumentsHost): void {
    sendAnswer(host.switchToHttp().getResponse<Response>(), replyTo(error));
  }
}

/** A controller whose every route needs a token and a role. */
export const OperatorRoutes = (path = ''): ClassDecorator =>
  applyDecorators(Controller(path), UseGuards(OperatorGuard), UseFilters(OperatorFilter));
