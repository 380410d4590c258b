import { Controller, Get, HttpStatus, Inject, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { sendAnswer } from '@app/http-server';
import { OperatorAccess, sendAccessRefused } from './operator-access';
import { ServiceMetrics } from './service-metrics';

export const METRICS_ACCESS = Symbol('METRICS_ACCESS');

/** Prometheus, on the operator port only: for everybody who reaches it, or with a token. */
@Controller('metrics')
export class MetricsController {
  constructor(
    @Inject(ServiceMetrics) private readonly metrics: ServiceMetrics,
    @Inject(METRICS_ACCESS) private readonly reading: 'open' | 'token',
    @Inject(OperatorAccess) private readonly access: OperatorAccess,
  ) {}

  @Get()
  async scrape(@Req() request: Request, @Res() response: Response): Promise<void> {
    if (this.reading === 'token') {
      const admitted = this.access.admit(request.headers.authorization, 'read-metrics');
      if ('refused' in admitted) {
        sendAccessRefused(response, admitted.refused);
        return;
      }
    }
    const body = await this.metrics.registry.metrics();
    sendAnswer(response, { status: HttpStatus.OK, contentType: this.metrics.registry.contentType, body });
  }
}
