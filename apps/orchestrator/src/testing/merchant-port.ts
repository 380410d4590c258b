import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Type } from '@nestjs/common';
import { LimitedExpressAdapter, PlainExceptionFilter, ServiceLog } from '@app/http/server';
import { withGivenParts, type Given } from './given-parts';

export interface MerchantPort {
  readonly url: string;
  /** Express's router. */
  readonly router: unknown;
  close(): Promise<void>;
}

export const openMerchantPort = async (
  given: Given,
  { imports = [], controllers = [] }: { readonly imports?: readonly Type[]; readonly controllers?: readonly Type[] },
): Promise<MerchantPort> => {
  const module = await withGivenParts(imports, given, controllers).compile();
  const log = new ServiceLog('silent');
  const app = module.createNestApplication(new LimitedExpressAdapter(), { bodyParser: false, logger: log, abortOnError: false });
  app.useGlobalFilters(new PlainExceptionFilter(log));
  await app.listen(0, '127.0.0.1');
  const server = app.getHttpServer() as Server;
  const { router } = app.getHttpAdapter().getInstance() as { readonly router: unknown };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, router, close: () => app.close() };
};
