import { All, Controller, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { GroupAEdge } from '../group-a.edge';
import { methodNotAllowed } from '../method-not-allowed';
import { CreateCardRefOperation } from './create-card-ref.operation';

/** Card registration v2 by endpoint or group (interface, section 4.1). */
@Controller('api/v2')
export class CreateCardRefController {
  constructor(
    @Inject(GroupAEdge) private readonly edge: GroupAEdge,
    @Inject(CreateCardRefOperation) private readonly operation: CreateCardRefOperation,
  ) {}

  @Post('create-card-ref/:endpointId')
  byEndpoint(@Param('endpointId') id: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve(request, response, 'endpoint', id, this.operation);
  }

  @Post('create-card-ref/group/:groupId')
  byGroup(@Param('groupId') id: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.edge.serve(request, response, 'group', id, this.operation);
  }

  @All(['create-card-ref/:endpointId', 'create-card-ref/group/:groupId'])
  otherMethod(@Res() response: Response): void {
    methodNotAllowed(response, 'POST');
  }
}
