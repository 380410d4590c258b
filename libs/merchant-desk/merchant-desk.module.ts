import { All, Controller, Inject, Logger, Module, Req, Res, type DynamicModule } from '@nestjs/common';
import { MERCHANT_ROUTES } from '@app/gateway-protocol';
import type { Request, Response } from 'express';
import { DeskEdge, MerchantDesk, type DeskLog, type MerchantDeskSettings } from './edge';

const { initiate, check, notification } = MERCHANT_ROUTES;
const paths = (routes: readonly string[]): string[] => [...routes];

/** Every path of the merchant's half of Group B (interface, section 4.3), with and without the product's login before it. */
@Controller(['', ':login'])
export class MerchantDeskController {
  constructor(@Inject(DeskEdge) private readonly edge: DeskEdge) {}

  @All(paths(check.sale))
  checkSale(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve('check-sale', request, response);
  }

  @All(paths(notification.sale))
  notifySale(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve('notification-sale', request, response);
  }

  @All(paths(initiate.sale))
  initiateSale(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve('initiate-sale', request, response);
  }

  @All(paths(check.transfer))
  checkTransfer(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve('check-transfer', request, response);
  }

  @All(paths(notification.transfer))
  notifyTransfer(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve('notification-transfer', request, response);
  }

  @All(paths(initiate.transfer))
  initiateTransfer(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve('initiate-transfer', request, response);
  }

  @All(paths(check.verification))
  checkVerification(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve('check-verification', request, response);
  }

  @All(paths(notification.verification))
  notifyVerification(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve('notification-verification', request, response);
  }

  @All(paths(initiate.verification))
  initiateVerification(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve('initiate-verification', request, response);
  }

  @All(paths(MERCHANT_ROUTES.accessToken))
  requestAccessToken(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve('request-access-token', request, response);
  }

  @All(paths(MERCHANT_ROUTES.clientIds))
  clientIds(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve('get-client-ids', request, response);
  }

  @All(paths(MERCHANT_ROUTES.randomSum))
  randomSum(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve('random-sum', request, response);
  }

  @All(paths(MERCHANT_ROUTES.callback))
  callback(@Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve('callback', request, response);
  }
}

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
 * which must keep the bytes of bodies (`NestFactory.create(AppModule, { rawBody: true })`) or leave them unread (`bodyParser: false`). The module
 * exports `MerchantDesk`, by which the product asks how its orders ended.
 */
@Module({})
export class MerchantDeskModule {
  static register({ log = nestLog(), ...settings }: MerchantDeskSettings & { readonly log?: DeskLog }): DynamicModule {
    const desk = new MerchantDesk(settings);
    return {
      module: MerchantDeskModule,
      controllers: [MerchantDeskController],
      providers: [
        { provide: MerchantDesk, useValue: desk },
        { provide: DeskEdge, useValue: new DeskEdge(desk, log) },
      ],
      exports: [MerchantDesk],
    };
  }
}
