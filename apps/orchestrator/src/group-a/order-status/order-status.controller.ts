import { All, Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { GroupAEdge } from '../group-a.edge';
import { methodNotAllowed } from '../method-not-allowed';
import { OrderStatusOperation } from './order-status.operation';

/** Order status v2 by endpoint or group (interface, section 4.1). */
@Controller('api/v2')
export class OrderStatusController {
  constructor(
    @Inject(GroupAEdge) private readonly edge: GroupAEdge,
    @Inject(OrderStatusOperation) private readonly operation: OrderStatusOperation,
  ) {}

  @Post('status/:endpointId')
  byEndpoint(@Param('endpointId') id: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve(request, response, 'endpoint', id, this.operation);
  }

  @Post('status/group/:groupId')
  byGroup(@Param('groupId') id: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve(request, response, 'group', id, this.operation);
  }

  @All(['status/:endpointId', 'status/group/:groupId'])
  otherMethod(@Res() response: Response): void {
    methodNotAllowed(response, 'POST');
  }
}
