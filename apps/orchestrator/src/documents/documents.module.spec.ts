import 'reflect-metadata';
import { Global, Module, type INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AddressInfo } from 'node:net';
import { CONFIGURATION } from '@app/configuration/configuration.module';
import { LimitedExpressAdapter } from '@app/http/server';
import type { ApiDocuments } from './api-documents';
import { DocumentsModule, OPERATOR_DOCUMENTS } from './documents.module';

@Global()
@Module({
  providers: [{ provide: CONFIGURATION, useValue: { publicBaseUrl: 'https://pay.example', pathPrefix: '/paynet' } }],
  exports: [CONFIGURATION],
})
class TestConfigurationModule {}

let app: INestApplication;
const start = async (isPublic: boolean): Promise<(path: string) => Promise<Response>> => {
  const module = { module: class {}, imports: [TestConfigurationModule, DocumentsModule.forRoot(isPublic)] };
  app = await NestFactory.create(module, new LimitedExpressAdapter(), { bodyParser: false, logger: false, abortOnError: false });
  app.setGlobalPrefix('paynet');
  await app.listen(0, '127.0.0.1');
  const { port } = (app.getHttpServer() as { address(): AddressInfo }).address();
  return (path) => fetch(`http://127.0.0.1:${port}${path}`);
};
afterEach(() => app.close());

it('the public port serves the merchant API documents with the public address, but not the operator API', async () => {
  const ask = await start(true);
  const page = await ask('/paynet/docs');
  expect(page.headers.get('content-security-policy')).toContain("script-src 'self'; ");
  const loaded = [...(await page.text()).matchAll(/(?:src|href)="(docs\/[^"]+)"/g)].map(([, path]) => `/paynet/${path}`);
  expect(loaded).toHaveLength(4);
  for (const path of loaded) expect([path, (await ask(path)).status]).toStrictEqual([path, 200]);
  const script = await (await ask('/paynet/docs/documents.js')).text();
  const named = [...script.matchAll(/docs\/[a-z-]+\.json/g)].map(([path]) => path);
  expect(named).toStrictEqual(['docs/group-a.json', 'docs/group-b.json', 'docs/merchant-server.json']);
  for (const path of named.slice(0, 2))
    expect(await (await ask(`/paynet/${path}`)).json()).toMatchObject({ servers: [{ url: 'https://pay.example/paynet' }] });
  expect((await ask('/paynet/docs/operator.json')).status).toBe(404);
});

it('the public port returns 404 if documents are disabled, and operators still have their document', async () => {
  const ask = await start(false);
  for (const path of ['/paynet/docs', '/paynet/docs/group-a.json']) expect((await ask(path)).status).toBe(404);
  const operators = app.get<ApiDocuments>(OPERATOR_DOCUMENTS, { strict: false });
  expect((await operators.file('operator.json'))?.body).toContain('"servers":[{"url":"/"}]');
});
