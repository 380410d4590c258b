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

/** A body by its media type. */
export interface DocumentedContent {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface DocumentedResponse {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: JsonSchema }>>;
  readonly content?: Readonly<Record<string, DocumentedContent>>;
}

/** What a document says of an operation beside its method and path. */
export interface Documentation {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** The schemes of which one proves who asks; none: whoever reaches it. */
  readonly security: readonly string[];
  readonly parameters?: readonly DocumentedParameter[];
  readonly body?: DocumentedContent & { readonly type: string };
  /** By status; `4XX`: any of them. */
  readonly responses: Readonly<Record<number | '4XX', DocumentedResponse>> | Readonly<Record<number, DocumentedResponse>>;
}

export interface DocumentedOperation extends Documentation {
  readonly method: 'get' | 'post';
  /** As a router writes it, without a slash before it. */
  readonly path: string;
  /** What we call at an address of theirs; its path is a name alone. */
  readonly isWebhook?: true;
}

/** A schema of the document's components. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

// What swagger takes for a schema is narrower than JSON Schema, which OpenAPI 3.1 has.
type Given = never;

const parameterDecorator = ({ in: place, ...parameter }: DocumentedParameter): MethodDecorator & ClassDecorator => {
  const given = parameter as Given;
  return place === 'path' ? ApiParam(given) : place === 'query' ? ApiQuery(given) : ApiHeader(given);
};

const bodyDecorators = ({ type, schema, example }: DocumentedContent & { readonly type: string }): readonly MethodDecorator[] => [
  ApiConsumes(type),
  ApiBody({ required: true, schema: schema as Given, ...(example !== undefined && { examples: { sandbox: { value: example } } }) }),
];

/** Swagger's decorators of one operation. */
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

/** A controller that serves nothing and says of each operation what the document says: swagger reads it as it reads one that serves. */
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
