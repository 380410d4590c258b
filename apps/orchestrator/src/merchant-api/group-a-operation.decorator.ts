import { All, Controller, Inject, NotFoundException, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { EntryPoint } from '@app/configuration';
import { GroupAEdge } from './group-a.exchange';
import { methodNotAllowed } from '@app/http-server';
import { GroupARoutes } from '../../../../libs/gateway-protocol/group-a/operations';

const METHOD = 'POST';

/** Every path of Group A, by endpoint and by group: which operations there are stands in `routes.ts`. */
@Controller('api')
export class GroupAController {
  constructor(
    @Inject(GroupAEdge) private readonly edge: GroupAEdge,
    @Inject(GroupARoutes) private readonly routes: GroupARoutes,
  ) {}

  @All(':version/:operation/:endpointId')
  byEndpoint(
    @Param('version') version: string,
    @Param('operation') operation: string,
    @Param('endpointId') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.serve(version, operation, 'endpoint', id, request, response);
  }

  @All(':version/:operation/group/:groupId')
  byGroup(
    @Param('version') version: string,
    @Param('operation') operation: string,
    @Param('groupId') id: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    return this.serve(version, operation, 'group', id, request, response);
  }

  /** What is no operation is a plain 404, a wrong verb on one that is 405 (protocol decisions, section 1). */
  private async serve(
    version: string,
    name: string,
    kind: EntryPoint['kind'],
    id: string,
    request: Request,
    response: Response,
  ): Promise<void> {
    // A path is what the interface writes, to the letter: nothing in it needs an escape.
    const operation = request.path.includes('%') ? undefined : this.routes.operation(version, name);
    if (operation === undefined) throw new NotFoundException();
    if (request.method === METHOD) return this.edge.serve(request, response, kind, id, operation);
    methodNotAllowed(response, METHOD);
  }
}
