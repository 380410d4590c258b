import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { Response } from 'express';
import { sendAnswer } from '@app/http-server';
import { StoreReadiness } from './store-readiness';

const OK = 200;
const UNAVAILABLE = 503;

/** A live process answers; a ready one can serve. */
@Controller('health')
export class HealthController {
  constructor(@Inject(StoreReadiness) private readonly store: StoreReadiness) {}

  @Get('live')
  live(@Res() response: Response): void {
    this.send(response, OK, 'live');
  }

  @Get('ready')
  async ready(@Res() response: Response): Promise<void> {
    const isReady = await this.store.isReady();
    this.send(response, isReady ? OK : UNAVAILABLE, isReady ? 'ready' : 'not ready');
  }

  private send(response: Response, status: number, state: string): void {
    sendAnswer(response, { status, contentType: 'application/json;charset=utf-8', body: `${JSON.stringify({ status: state })}\n` });
  }
}
