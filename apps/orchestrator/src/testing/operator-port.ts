import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LimitedExpressAdapter, PlainExceptionFilter, ServiceLog } from '@app/http/server';
import type { OperatorAudit } from '@app/investigation/record';
import { checkOperatorCaller } from '../operator/operator-caller.middleware';
import { OperatorPortModule } from '../operator/operator-port.module';

interface OpenedOperatorPort {
  readonly app: INestApplication;
  readonly port: number;
}

/** The operator port over the given parts, on any loopback port. A part that is missing is undefined. */
export const openOperatorPort = async (
  parts: ReadonlyMap<unknown, unknown>,
  audit: Pick<OperatorAudit, 'refused'>,
  settings: Parameters<typeof checkOperatorCaller>[0] = { operatorHost: '127.0.0.1', operatorHosts: [] },
): Promise<OpenedOperatorPort> => {
  const module = OperatorPortModule.over({ get: (part: unknown) => parts.get(part) } as Pick<INestApplication, 'get'>);
  const app = await NestFactory.create(module, new LimitedExpressAdapter(), { bodyParser: false, logger: false, abortOnError: false });
  app.useGlobalFilters(new PlainExceptionFilter(new ServiceLog('silent')));
  app.use(checkOperatorCaller(settings, audit));
  await app.listen(0, '127.0.0.1');
  return { app, port: ((app.getHttpServer() as Server).address() as AddressInfo).port };
};
