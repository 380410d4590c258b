import { Writable } from 'node:stream';
import { Test } from '@nestjs/testing';
import { LOG_PROOFS_LISTENER } from '@app/investigation/log-proofs.tokens';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ENVIRONMENT } from '@app/configuration/configuration.module';
import { StoreUnavailable, SubscriptionDropped } from '@app/event-store';
import { EXCHANGE_LISTENER } from '@app/http/request/request.tokens';
import { ServiceLog } from '@app/http/server';
import { Secret } from '@app/kernel';
import type { Token } from '@app/kernel/injection';
import { WORKERS_LISTENER } from '../worker/workers';
import { MonitoringModule } from './monitoring.module';

const monitoring = async () => {
  const lines: string[] = [];
  const destination = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(chunk.toString());
      done();
    },
  });
  const environment = { eventStore: { kind: 'file', path: '/data/events.sqlite' }, vault: { kind: 'file', path: '/data/vault.sqlite' } };
  const parts = [
    { provide: ENVIRONMENT, useValue: environment },
    { provide: CARD_VAULT, useValue: { onceKey: (_kind: string, [text]: readonly string[]) => (text ?? '').padEnd(64, '0') } },
  ];
  const ports = { module: class {}, global: true, providers: parts, exports: [ENVIRONMENT, CARD_VAULT] };
  const module = await Test.createTestingModule({
    imports: [ports, MonitoringModule.forRoot(new ServiceLog('info', destination))],
  }).compile();
  return {
    part: <Part>(token: Token<Part>): Part => module.get<Part>(token),
    written: (): object[] => lines.map((line) => JSON.parse(line) as object),
  };
};

const INFO = 30;
const ERROR = 50;

it('logs a resumed subscription as info and any other interruption as an error', async () => {
  const { part, written } = await monitoring();
  const dropped = new SubscriptionDropped('event store log-1: Consumer too slow. Client resubscription required.');
  part(WORKERS_LISTENER).projectionRetrying(dropped);
  part(LOG_PROOFS_LISTENER).retrying(dropped);
  part(WORKERS_LISTENER).projectionRetrying(new StoreUnavailable('away'));
  part(LOG_PROOFS_LISTENER).retrying(new StoreUnavailable('away'));
  expect(written()).toMatchObject([
    { level: INFO, event: 'projection.resubscribed', cause: dropped.message },
    { level: INFO, event: 'log-proofs.resubscribed', cause: dropped.message },
    { level: ERROR, event: 'projection.retrying' },
    { level: ERROR, event: 'log-proofs.retrying' },
  ]);
});

it('logs the id of the key that signed a request, and never the key', async () => {
  const { part, written } = await monitoring();
  const served = { operation: 'sale', serial: '1', merchant: 'acme', outcome: 'answered', durationMs: 1 };
  part(EXCHANGE_LISTENER).served({ ...served, signedWith: new Secret('0123') }, 'a');
  part(EXCHANGE_LISTENER).served(served, 'b');
  const [signed, unsigned] = written();
  expect(signed).toMatchObject({ event: 'request.served', merchant: 'acme', keyId: 'abcdaaaaaaaaaaaa' });
  expect(signed).not.toHaveProperty('signedWith');
  expect(unsigned).not.toHaveProperty('keyId');
});
