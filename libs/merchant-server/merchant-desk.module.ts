import { Inject, Logger, Module, type DynamicModule, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { DeskEdge, deskRouteOf, MerchantDesk, type DeskLog, type DeskServed, type MerchantDeskSettings } from './edge';

/** To Nest's own log, for a product that gives none. */
const nestLog = (): DeskLog => {
  const logger = new Logger('MerchantDesk');
  return {
    info: (event, facts) => logger.log({ event, ...facts }),
    failure: (event, error, facts) => logger.error({ event, ...facts, error: error instanceof Error ? error.message : 'unknown' }),
  };
};

/**
 * The merchant's half of the mobile device API, for a Nest application: the merchant server is one, and a product can mount it in a server of its own,
 * which must keep the bytes of bodies (`NestFactory.create(AppModule, { rawBody: true })`) or leave them unread (`bodyParser: false`). It stands before
 * the controllers, so that the product's own guards and interceptors do not meet app and gateway; what is none of its paths goes on to them. The
 * module exports `MerchantDesk`, by which the product asks how its orders ended.
 */
@Module({})
export class MerchantDeskModule implements NestModule {
  constructor(@Inject(DeskEdge) private readonly edge: DeskEdge) {}

  configure(consumer: MiddlewareConsumer): void {
    const serve = (request: Request, response: Response, next: NextFunction): Promise<void> | void => {
      const route = deskRouteOf(request.url);
      return route === undefined ? next() : this.edge.serve(route, request, response);
    };
    consumer.apply(serve).forRoutes('/');
  }

  /** @param onServed told of every request of the desk's paths that was answered */
  static register({
    log = nestLog(),
    onServed,
    ...settings
  }: MerchantDeskSettings & { readonly log?: DeskLog; readonly onServed?: (served: DeskServed) => void }): DynamicModule {
    const desk = new MerchantDesk(settings);
    return {
      module: MerchantDeskModule,
      providers: [
        { provide: MerchantDesk, useValue: desk },
        { provide: DeskEdge, useValue: new DeskEdge(desk, log, onServed) },
      ],
      exports: [MerchantDesk],
    };
  }
}
