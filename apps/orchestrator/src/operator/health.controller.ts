import { Controller, Get, HttpStatus, Inject } from '@nestjs/common';
import { HttpReply } from '@app/http-server';
import { token } from '@app/injection';

export interface StoreHealth {
  readonly isReady: boolean;
  /** One line; never an address or a password. */
  readonly detail: string;
}

export interface Health {
  readonly isReady: boolean;
  readonly stores: Readonly<Record<string, StoreHealth>>;
}

export interface HealthSource {
  health(): Promise<Health>;
}
export const HEALTH = token<HealthSource>('HEALTH');

/**
 * Live: the process answers. Ready: it can serve, with the state of each store. Who asks at the same time shares one question to the stores.
 * `@nestjs/terminus` would answer in a form of its own: supervisors and rules know this one.
 */
@Controller('health')
export class HealthController {
  #asked: Promise<Health> | undefined;

  constructor(@Inject(HEALTH) private readonly source: HealthSource) {}

  @Get('live')
  live(): HttpReply {
    return HttpReply.json(HttpStatus.OK, { status: 'live' });
  }

  @Get('ready')
  async ready(): Promise<HttpReply> {
    this.#asked ??= this.source.health().finally(() => (this.#asked = undefined));
    const { isReady, stores } = await this.#asked;
    return HttpReply.json(isReady ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE, { status: isReady ? 'ready' : 'not ready', stores });
  }
}
