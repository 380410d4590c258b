import { NestFactory } from '@nestjs/core';
import type { INestApplication } from '@nestjs/common';
import { PlainExceptionFilter } from './plain-exception.filter';
import { LimitedExpressAdapter, type ServerLimits } from '../limited-express.adapter';
import type { ServiceLog } from './service-log';

/** A Nest application with the limits and the plain answers of every port of ours. It does not listen yet. @param limits other than the usual ones */
export const createApplication = async (
  module: Parameters<typeof NestFactory.create>[0],
  log: ServiceLog,
  limits?: ServerLimits,
): Promise<INestApplication> => {
  const app = await NestFactory.create(module, new LimitedExpressAdapter(limits), { bodyParser: false, logger: log, abortOnError: false });
  app.useGlobalFilters(new PlainExceptionFilter(log));
  return app;
};
