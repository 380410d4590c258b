import type { OpenAPIObject } from '@nestjs/swagger';
import { groupADocument } from './group-a';
import { groupBDocument } from './group-b';
import { merchantServerDocument } from './merchant-server';
import { operatorDocument } from './operator';

/** By file name in `docs/openapi`. */
export const DOCUMENTS: Readonly<Record<string, () => Promise<OpenAPIObject>>> = {
  'group-a.json': groupADocument,
  'group-b.json': groupBDocument,
  'merchant-server.json': merchantServerDocument,
  'operator.json': operatorDocument,
};
