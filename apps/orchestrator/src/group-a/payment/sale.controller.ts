import { All, Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { GroupAEdge } from '../group-a.edge';
import { methodNotAllowed } from '../method-not-allowed';
import { SaleOperation } from './sale.operation';

/** Initial payment by endpoint or group (protocol decisions, sections 1 and 10). */
@Controller('api/v2')
export class SaleController {
  constructor(
    @Inject(GroupAEdge) private readonly edge: GroupAEdge,
    @Inject(SaleOperation) private readonly operation: SaleOperation,
  ) {}

  @Post('sale/:endpointId')
  byEndpoint(@Param('endpointId') id: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve(request, response, 'endpoint', id, this.operation);
  }

  @Post('sale/group/:groupId')
  byGroup(@Param('groupId') id: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve(request, response, 'group', id, this.operation);
  }

  @All(['sale/:endpointId', 'sale/group/:groupId'])
  otherMethod(@Res() response: Response): void {
    methodNotAllowed(response, 'POST');
  }
}
