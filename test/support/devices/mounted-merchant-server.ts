import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { systemClock, systemScheduler } from '@app/kernel';
import { loadKeyRing } from '@app/card-vault';
import { openEventStore } from '@app/event-store/stores';
import { loadProducts } from '@app/configuration';
import { MerchantServerModule, type ConsumerAuthentication } from '@app/merchant-server';
import { yourSessions } from './your-sessions';

/** Your own login says who asks: the e-mail goes into every check of this consumer's operations. */
const consumers: ConsumerAuthentication = {
  authenticate: async ({ header }) => {
    const user = await yourSessions.userOf(header('authorization'));
    return user === undefined ? { kind: 'refused' } : { kind: 'known', id: user.id, email: user.email };
  },
};

const start = async (): Promise<void> => {
  const { store } = await openEventStore({
    at: { kind: 'file', path: 'data/merchant-server.sqlite' },
    clock: systemClock,
    scheduler: systemScheduler,
  });
  const merchantServer = MerchantServerModule.register({
    products: loadProducts('config/products.yaml', process.env),
    store,
    keyRing: loadKeyRing('keys/merchant-server.json'),
    isProduction: true,
    consumers,
  });

  @Module({ imports: [merchantServer /* , your own modules */] })
  class AppModule {}

  const app = await NestFactory.create(AppModule, { rawBody: true }); // or { bodyParser: false }: bodies are read to the byte
  await app.listen(Number(process.env['PORT'] ?? 8081));
};

void start();
