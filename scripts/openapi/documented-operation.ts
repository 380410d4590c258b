import { applyDecorators, Controller, Get, Post, type Type } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiHeader,
  ApiOperation,
  ApiParam,
  ApiQuery,
  ApiResponse,
  ApiSecurity,
  ApiTags,
  ApiWebhook,
} from '@nestjs/swagger';
import type { JsonSchema } from '@app/gateway-protocol';

export interface DocumentedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export interface DocumentedContent {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface DocumentedResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  readonly content?: Readonly<Record<string, DocumentedContent>>;
}

export interface Documentation {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** Any one of these schemes authenticates the caller; an empty list means no authentication. */
  readonly security: readonly string[];
  readonly parameters?: readonly DocumentedParameter[];
  readonly body?: DocumentedContent & { readonly type: string };
  /** By status; `4XX` means any of them. */
  readonly responses: Readonly<Record<number | '4XX', DocumentedResponse>> | Readonly<Record<number, DocumentedResponse>>;
}

export interface DocumentedOperation extends Documentation {
  readonly method: 'get' | 'post';
  /** Without a leading slash. */
  readonly path: string;
  /** A request that we send; its path is only a name. */
  readonly isWebhook?: true;
}

export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

// Swagger's type of a schema is narrower than JSON Schema, which OpenAPI 3.1 uses.
type Given = never;

const parameterDecorator = ({ in: place, ...parameter }: DocumentedParameter): MethodDecorator & ClassDecorator => {
  const given = parameter as Given;
  return place === 'path' ? ApiParam(given) : place === 'query' ? ApiQuery(given) : ApiHeader(given);
};

const bodyDecorators = ({ type, schema, example }: DocumentedContent & { readonly type: string }): readonly MethodDecorator[] => [
  ApiConsumes(type),
  ApiBody({ required: true, schema: schema as Given, ...(example !== undefined && { examples: { sandbox: { value: example } } }) }),
];

export const Documented = ({ id, summary, description, tag, security, parameters = [], body, responses }: Documentation): MethodDecorator =>
  applyDecorators(
    ApiTags(tag),
    ApiOperation({ operationId: id, summary, ...(description !== undefined && { description }) }),
    ...security.map((scheme) => ApiSecurity(scheme)),
    ...parameters.map(parameterDecorator),
    ...(body === undefined ? [] : bodyDecorators(body)),
    ...Object.entries(responses).map(([status, response]) =>
      ApiResponse({ status: status === '4XX' ? status : Number(status), ...(response as Given as object) }),
    ),
  );

/** A stub controller from which swagger generates the document. */
export const controllerOf = (name: string, operations: readonly DocumentedOperation[]): Type<object> => {
  const named = { [name]: class {} }[name] as Type<object>;
  for (const operation of operations) {
    const { id, method, path, isWebhook } = operation;
    const descriptor: PropertyDescriptor = { value: (): void => undefined, writable: true, configurable: true };
    Object.defineProperty(named.prototype, id, descriptor);
    const route = method === 'get' ? Get(path) : Post(path);
    const decorators = [route, Documented(operation), ...(isWebhook ? [ApiWebhook(path)] : [])];
    for (const decorate of decorators) decorate(named.prototype as object, id, descriptor);
  }
  Controller()(named);
  return named;
};
