import { Controller, Get, HttpStatus, Inject, Res } from '@nestjs/common';
import type { Response } from 'express';
import { sendAnswer } from '@app/http-server';
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

/** Live: the process answers. Ready: it can serve, with the state of each store. Who asks at the same time shares one question to the stores. */
@Controller('health')
export class HealthController {
  #asked: Promise<Health> | undefined;

  constructor(@Inject(HEALTH) private readonly source: HealthSource) {}

  @Get('live')
  live(@Res() response: Response): void {
    this.send(response, HttpStatus.OK, { status: 'live' });
  }

  @Get('ready')
  async ready(@Res() response: Response): Promise<void> {
    this.#asked ??= this.source.health().finally(() => (this.#asked = undefined));
    const health = await this.#asked;
    this.send(response, health.isReady ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE, {
      status: health.isReady ? 'ready' : 'not ready',
      stores: health.stores,
    });
  }

  private send(response: Response, status: number, body: object): void {
    sendAnswer(response, { status, contentType: 'application/json;charset=utf-8', body: `${JSON.stringify(body)}\n` });
  }
}
