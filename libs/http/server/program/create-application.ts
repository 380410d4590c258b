import { NestFactory } from '@nestjs/core';
import { type INestApplication, Catch, HttpException, HttpStatus, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { STATUS_CODES } from 'node:http';
import type { Response } from 'express';
import { LimitedExpressAdapter, type ServerLimits } from '../limited-express.adapter';
import type { ServiceLog } from './service-log';
import { sendAnswer } from '../http-reply';

const statusOf = (error: unknown): number => {
  if (error instanceof HttpException) return error.getStatus();
  const { status } = error as { status?: unknown };
  return typeof status === 'number' && status >= 400 && status < 500 ? status : HttpStatus.INTERNAL_SERVER_ERROR;
};

/** For errors outside controllers: a plain status without internal details (safety, T50). */
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

/** A Nest application with the limits of all our ports. It does not listen yet. */
export const createApplication = async (
  module: Parameters<typeof NestFactory.create>[0],
  log: ServiceLog,
  limits?: ServerLimits,
): Promise<INestApplication> => {
  const app = await NestFactory.create(module, new LimitedExpressAdapter(limits), { bodyParser: false, logger: log, abortOnError: false });
  app.useGlobalFilters(new PlainExceptionFilter(log));
  return app;
};
