import { Catch, HttpException, HttpStatus, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { STATUS_CODES } from 'node:http';
import type { Response } from 'express';
import { sendAnswer } from '../http-answer';
import type { ServiceLog } from './service-log';

const statusOf = (error: unknown): number => {
  if (error instanceof HttpException) return error.getStatus();
  const { status } = error as { status?: unknown };
  return typeof status === 'number' && status >= 400 && status < 500 ? status : HttpStatus.INTERNAL_SERVER_ERROR;
};

/** What no controller answered: a plain status, never a word of what went wrong inside (safety, T50). */
@Catch()
export class PlainExceptionFilter implements ExceptionFilter {
  constructor(private readonly log: ServiceLog) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const status = statusOf(error);
    if (status >= 500) this.log.failure('unhandled', error);
    const response = host.switchToHttp().getResponse<Response>();
    sendAnswer(response, { status, contentType: 'text/plain;charset=utf-8', body: `${STATUS_CODES[status] ?? 'Error'}\n` });
  }
}
