import { Controller, Get, HttpStatus, Inject } from '@nestjs/common';
import { HttpReply } from '@app/http/server';
import { token } from '@app/kernel/injection';

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
 * A live process answers; a ready one can serve, and says so with the state of each store. Requests at the same time share one check of the stores.
 * `@nestjs/terminus` is not used, since supervisors and alert rules know this form of the answer.
 */
@Controller('health')
export class HealthController {
  #checking: Promise<Health> | undefined;

  constructor(@Inject(HEALTH) private readonly source: HealthSource) {}

  /**
   * The process answers
   * @answer 200 The process answers.
   */
  @Get('live')
  live(): HttpReply {
    return HttpReply.json(HttpStatus.OK, { status: 'live' });
  }

  /**
   * The process is ready
   * @answer 200 The process is ready.
   * @answer 503 Not ready, with the state of each store.
   */
  @Get('ready')
  async ready(): Promise<HttpReply> {
    this.#checking ??= this.source.health().finally(() => (this.#checking = undefined));
    const { isReady, stores } = await this.#checking;
    return HttpReply.json(isReady ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE, { status: isReady ? 'ready' : 'not ready', stores });
  }
}
