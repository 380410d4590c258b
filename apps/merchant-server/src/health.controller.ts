import { Controller, Get, HttpStatus, Inject } from '@nestjs/common';
import { HttpReply } from '@app/http/server';
import { StoreReadiness } from './store-readiness';

@Controller('health')
export class HealthController {
  constructor(@Inject(StoreReadiness) private readonly store: StoreReadiness) {}

  @Get('live')
  live(): HttpReply {
    return HttpReply.json(HttpStatus.OK, { status: 'live' });
  }

  @Get('ready')
  async ready(): Promise<HttpReply> {
    const isReady = await this.store.isReady();
    return HttpReply.json(isReady ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE, { status: isReady ? 'ready' : 'not ready' });
  }
}
