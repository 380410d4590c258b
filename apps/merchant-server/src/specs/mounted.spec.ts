import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { Controller, Get, Module } from '@nestjs/common';
import { systemRandom } from '@app/kernel';
import { MerchantServerModule } from '@app/merchant-server';
import { failure, merchantServerUnderTest } from '../testing/merchant-server-fixture';

const server = merchantServerUnderTest();

describe("MerchantServerModule in a product's own server", () => {
  @Module({ imports: [MerchantServerModule.register({ ...server.settings, log: server.log, random: systemRandom })] })
  class ProductServer {}

  it('reads the raw body that Nest keeps', async () => {
    const mounted = await server.listen(await NestFactory.create(ProductServer, { rawBody: true, logger: false }));
    expect((await mounted.complete('sale', { email: 'mounted@example.com' })).source).not.toBe('');
    const twice = await mounted.send('sale/initiate-sale', '{"session":{},"session":{}}');
    expect(twice).toMatchObject({ status: 400, body: failure('INVALID_REQUEST') });
  });

  it("runs before the product's guards, under its prefix, and handles only its own paths", async () => {
    @Controller('own')
    class OwnController {
      @Get()
      own(): string {
        return 'own';
      }
    }
    @Module({ imports: [MerchantServerModule.register({ ...server.settings, log: server.log })], controllers: [OwnController] })
    class GuardedServer {}

    const guarded = await NestFactory.create(GuardedServer, { rawBody: true, logger: false });
    let guardCalls = 0;
    guarded.setGlobalPrefix('pay');
    guarded.useGlobalGuards({ canActivate: () => ++guardCalls > 1 });
    const mounted = (await server.listen(guarded)).below('pay');
    expect((await mounted.complete('sale', { email: 'guarded@example.com' })).source).not.toBe('');
    expect(guardCalls).toBe(0);
    const own = () => mounted.send('own', undefined, { method: 'GET' });
    expect((await own()).status).toBe(403);
    expect(await own()).toMatchObject({ status: 200, text: 'own' });
    expect((await mounted.send('sale/initiate', {})).status).toBe(404);
  });

  it('returns 500 and logs the missing rawBody option if Nest discarded the raw body', async () => {
    const mounted = await server.listen(await NestFactory.create(ProductServer, { logger: false }));
    expect(await mounted.send('sale/initiate-sale', {})).toMatchObject({ status: 500, body: failure('SERVER_FAILED', 'internal error') });
    expect(server.logged).toContain('create the application with { rawBody: true }');
    expect((await mounted.requestToken()).status).toBe(200);
  });
});
