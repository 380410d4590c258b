import { Inject, Logger, Module, type DynamicModule, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import {
  MerchantServerEdge,
  merchantServerRouteOf,
  MountableMerchantServer,
  type MerchantServerLog,
  type ServedMerchantServerRequest,
  type MerchantServerSettings,
} from './edge';

const nestLog = (): MerchantServerLog => {
  const logger = new Logger('MountableMerchantServer');
  return {
    info: (event, facts) => logger.log({ event, ...facts }),
    failure: (event, error, facts) => logger.error({ event, ...facts, error: error instanceof Error ? error.message : 'unknown' }),
  };
};

/**
 * The merchant's part of the mobile device API, for a Nest application. A product may mount it in its server.
 * The server must keep the bytes of bodies (`NestFactory.create(AppModule, { rawBody: true })`) or leave them unread (`bodyParser: false`).
 * Runs before the controllers, so the product's guards and interceptors do not receive these requests. Exports `MountableMerchantServer`
 * for reading the ends of orders.
 */
@Module({})
export class MerchantServerModule implements NestModule {
  constructor(@Inject(MerchantServerEdge) private readonly edge: MerchantServerEdge) {}

  configure(consumer: MiddlewareConsumer): void {
    const serve = (request: Request, response: Response, next: NextFunction): Promise<void> | void => {
      const route = merchantServerRouteOf(request.url);
      return route === undefined ? next() : this.edge.serve(route, request, response);
    };
    consumer.apply(serve).forRoutes('/');
  }

  /** @param onServed called after every answered request to a path of the merchant server */
  static register({
    log = nestLog(),
    onServed,
    ...settings
  }: MerchantServerSettings & {
    readonly log?: MerchantServerLog;
    readonly onServed?: (served: ServedMerchantServerRequest) => void;
  }): DynamicModule {
    const server = new MountableMerchantServer(settings);
    return {
      module: MerchantServerModule,
      providers: [
        { provide: MountableMerchantServer, useValue: server },
        { provide: MerchantServerEdge, useValue: new MerchantServerEdge(server, log, onServed) },
      ],
      exports: [MountableMerchantServer],
    };
  }
}
