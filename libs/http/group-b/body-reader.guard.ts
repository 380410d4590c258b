import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { BodyReader } from './body-reader';
import { operationOf } from './served-device-operation';

/** The first of the guards: nothing is read from a store before the bytes of the body have been counted. */
@Injectable()
export class BodyReaderGuard implements CanActivate {
  constructor(@Inject(BodyReader) private readonly reader: BodyReader) {}

  canActivate(context: ExecutionContext): Promise<true> {
    return this.reader.read(operationOf(context), context.getArgByIndex<Request>(0), context.getArgByIndex<Response>(1));
  }
}
