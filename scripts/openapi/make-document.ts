import 'reflect-metadata';
import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { LimitedExpressAdapter } from '@app/http/server';
import type { JsonSchema } from '@app/gateway-protocol';

/** Version of the documents, not of the software. */
const VERSION = '2';
const LICENSE = { name: 'Apache 2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' } as const;

type SecurityScheme = { readonly description: string } & (
  | { readonly type: 'http'; readonly scheme: 'bearer' | 'OAuth' }
  | { readonly type: 'apiKey'; readonly in: 'header' | 'query'; readonly name: string }
);

export interface DocumentSource {
  readonly title: string;
  readonly description: string;
  readonly server: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly security: Readonly<Record<string, SecurityScheme>>;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly from: readonly Type<object>[] | DynamicModule;
}

type PathItem = OpenAPIObject['paths'][string];

@Module({})
class Documented {}

const moduleOf = (from: DocumentSource['from']): DynamicModule =>
  'module' in from ? from : { module: Documented, controllers: [...from] };

/** States explicitly that an operation needs no authentication. */
const withoutSecurity = ({ get, post }: PathItem): void => {
  for (const operation of [get, post]) if (operation !== undefined) operation.security ??= [];
};

export const makeDocument = async ({
  title,
  description,
  server,
  tags,
  security,
  schemas,
  from,
}: DocumentSource): Promise<OpenAPIObject> => {
  const builder = new DocumentBuilder().setOpenAPIVersion('3.1.0').setTitle(title).setDescription(description).setVersion(VERSION);
  builder.setLicense(LICENSE.name, LICENSE.url).addServer(server);
  for (const [name, what] of Object.entries(tags)) builder.addTag(name, what);
  for (const [name, scheme] of Object.entries(security)) builder.addSecurity(name, scheme);
  const app = await NestFactory.create(moduleOf(from), new LimitedExpressAdapter(), {
    bodyParser: false,
    logger: false,
    abortOnError: false,
  });
  try {
    const made = SwaggerModule.createDocument(app, builder.build(), { autoTagControllers: false });
    for (const item of [...Object.values(made.paths), ...Object.values(made.webhooks ?? {})]) withoutSecurity(item);
    return { ...made, components: { ...made.components, schemas: schemas as never } };
  } finally {
    await app.close();
  }
};
