import 'reflect-metadata';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Global, Module, type DynamicModule, type InjectionToken, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { LimitedExpressAdapter, PlainExceptionFilter, ServiceLog } from '@app/http-server';

/** What a test gives in the place of the modules of the service: each value under its token or class. */
export type Given = readonly (readonly [InjectionToken, unknown])[];

@Global()
@Module({})
class GivenModule {
  static of(given: Given): DynamicModule {
    const providers = given.map(([provide, useValue]) => ({ provide, useValue }));
    return { module: GivenModule, providers, exports: given.map(([provide]) => provide) };
  }
}

@Module({})
class PortModule {}

export interface MerchantPort {
  /** With no slash at its end. */
  readonly url: string;
  /** Express's own, with the routes in the order in which it looks through them. */
  readonly router: unknown;
  close(): Promise<void>;
}

/** A public port with these modules and controllers alone, as the program opens it. */
export const openMerchantPort = async (
  given: Given,
  { imports = [], controllers = [] }: { readonly imports?: readonly Type[]; readonly controllers?: readonly Type[] },
): Promise<MerchantPort> => {
  const module = { module: PortModule, imports: [GivenModule.of(given), ...imports], controllers: [...controllers] };
  const log = new ServiceLog('silent');
  const app = await NestFactory.create(module, new LimitedExpressAdapter(), { bodyParser: false, logger: log, abortOnError: false });
  app.useGlobalFilters(new PlainExceptionFilter(log));
  await app.listen(0, '127.0.0.1');
  const server = app.getHttpServer() as Server;
  const { router } = app.getHttpAdapter().getInstance() as { readonly router: unknown };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, router, close: () => app.close() };
};
