import { All, Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { GroupAEdge } from '../group-a.edge';
import { methodNotAllowed } from '../method-not-allowed';
import { MakeRebillSaleOperation } from './make-rebill-sale.operation';

/** Recurrent payment by endpoint or group, and its alias (interface, section 2.4; protocol decisions, section 1). */
@Controller('api/v2')
export class MakeRebillSaleController {
  constructor(
    @Inject(GroupAEdge) private readonly edge: GroupAEdge,
    @Inject(MakeRebillSaleOperation) private readonly operation: MakeRebillSaleOperation,
  ) {}

  @Post(['make-rebill-sale/:endpointId', 'make-rebill/:endpointId'])
  byEndpoint(@Param('endpointId') id: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve(request, response, 'endpoint', id, this.operation);
  }

  @Post(['make-rebill-sale/group/:groupId', 'make-rebill/group/:groupId'])
  byGroup(@Param('groupId') id: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve(request, response, 'group', id, this.operation);
  }

  @All(['make-rebill-sale/:endpointId', 'make-rebill/:endpointId', 'make-rebill-sale/group/:groupId', 'make-rebill/group/:groupId'])
  otherMethod(@Res() response: Response): void {
    methodNotAllowed(response, 'POST');
  }
}
