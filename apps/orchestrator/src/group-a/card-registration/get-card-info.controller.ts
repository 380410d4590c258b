import { All, Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { GroupAEdge } from '../group-a.edge';
import { methodNotAllowed } from '../method-not-allowed';
import { GetCardInfoOperation } from './get-card-info.operation';

/** Card details by endpoint or group (interface, section 4.1). */
@Controller('api/v2')
export class GetCardInfoController {
  constructor(
    @Inject(GroupAEdge) private readonly edge: GroupAEdge,
    @Inject(GetCardInfoOperation) private readonly operation: GetCardInfoOperation,
  ) {}

  @Post('get-card-info/:endpointId')
  byEndpoint(@Param('endpointId') id: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve(request, response, 'endpoint', id, this.operation);
  }

  @Post('get-card-info/group/:groupId')
  byGroup(@Param('groupId') id: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve(request, response, 'group', id, this.operation);
  }

  @All(['get-card-info/:endpointId', 'get-card-info/group/:groupId'])
  otherMethod(@Res() response: Response): void {
    methodNotAllowed(response, 'POST');
  }
}
