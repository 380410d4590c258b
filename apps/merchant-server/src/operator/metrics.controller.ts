import { Controller, Get, HttpStatus, Inject, Res } from '@nestjs/common';
import type { Response } from 'express';
import { sendAnswer } from '@app/http-server';
import { MerchantMetrics } from './merchant-metrics';

/** Serves Prometheus, on the operator port only. */
@Controller('metrics')
export class MetricsController {
  constructor(@Inject(MerchantMetrics) private readonly metrics: MerchantMetrics) {}

  @Get()
  async scrape(@Res() response: Response): Promise<void> {
    const body = await this.metrics.registry.metrics();
    sendAnswer(response, { status: HttpStatus.OK, contentType: this.metrics.registry.contentType, body });
  }
}
