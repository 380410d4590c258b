import {
  Controller,
  Get,
  HttpStatus,
  Inject,
  Injectable,
  UseFilters,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { HttpReply } from '@app/http/server';
import { token } from '@app/kernel/injection';
import { OperatorFilter } from './operator.filter';
import { OperatorGuard, OperatorRequest } from './operator.guard';
import { ServiceMetrics } from '../monitoring/service-metrics';

/** `token`: metrics need an operator's token. */
export const METRICS_ACCESS = token<'open' | 'token'>('METRICS_ACCESS');

@Injectable()
export class MetricsGuard implements CanActivate {
  constructor(
    @Inject(METRICS_ACCESS) private readonly access: 'open' | 'token',
    @Inject(OperatorGuard) private readonly operators: OperatorGuard,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    return this.access === 'open' || this.operators.canActivate(context);
  }
}

@Controller('metrics')
@UseFilters(OperatorFilter)
export class MetricsController {
  constructor(@Inject(ServiceMetrics) private readonly metrics: ServiceMetrics) {}

  /** Figures for Prometheus */
  @Get()
  @UseGuards(MetricsGuard)
  @OperatorRequest('read-metrics')
  async scrape(): Promise<HttpReply<string>> {
    const { registry } = this.metrics;
    return new HttpReply({ status: HttpStatus.OK, contentType: registry.contentType, body: await registry.metrics() });
  }
}
