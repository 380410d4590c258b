import { All, Controller, Inject, NotFoundException, Param, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { AnyDeviceEndpoint } from './device-endpoint';
import { DeviceRoutes } from './device-routes';
import { GroupBEdge } from './group-b.edge';

const METHOD = 'POST';

/** Every path of Group B (interface, section 4.2); which operations there are stands in `device-routes.ts`. */
@Controller('dapi/v1')
export class GroupBController {
  constructor(
    @Inject(GroupBEdge) private readonly edge: GroupBEdge,
    @Inject(DeviceRoutes) private readonly routes: DeviceRoutes,
  ) {}

  @All(':operation/:endpointId/:invoiceId')
  perform(@Param() path: DeviceParameters, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.serve(this.routes.perform(path.operation), path, request, response);
  }

  // Before the complete transfer: no gate's alias is `status` (protocol decisions, section 8).
  @All(':operation/:endpointId/:invoiceId/status')
  status(@Param() path: DeviceParameters, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.serve(this.routes.status(path.operation), path, request, response);
  }

  @All(':operation/:endpointId/:invoiceId/:assignedId')
  complete(@Param() path: DeviceParameters, @Req() request: Request, @Res() response: Response): Promise<void> {
    return this.serve(this.routes.complete(path.operation), path, request, response);
  }

  private async serve(
    endpoint: AnyDeviceEndpoint | undefined,
    { operation, ...path }: DeviceParameters,
    request: Request,
    response: Response,
  ): Promise<void> {
    // The operation is what the interface writes, to the letter; what stands behind it may need escapes.
    if (endpoint === undefined || !request.path.includes(`/dapi/v1/${operation}/`)) throw new NotFoundException();
    if (request.method === METHOD) return this.edge.serve(request, response, path, endpoint);
    response.setHeader('Allow', METHOD);
    this.edge.refuseMethod(response, path, endpoint);
  }
}

interface DeviceParameters {
  readonly operation: string;
  readonly endpointId: string;
  readonly invoiceId: string;
  readonly assignedId?: string;
}
