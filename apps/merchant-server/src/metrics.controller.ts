import { Controller, Get, HttpStatus, Inject } from '@nestjs/common';
import { HttpReply } from '@app/http/server';
import { MerchantMetrics } from './merchant-metrics';

@Controller('metrics')
export class MetricsController {
  constructor(@Inject(MerchantMetrics) private readonly metrics: MerchantMetrics) {}

  @Get()
  async scrape(): Promise<HttpReply> {
    const { registry } = this.metrics;
    return new HttpReply({ status: HttpStatus.OK, contentType: registry.contentType, body: await registry.metrics() });
  }
}
