import { Writable } from 'node:stream';
import { Test } from '@nestjs/testing';
import { LOG_PROOFS_LISTENER } from '@app/investigation/log-proofs.tokens';
import { ENVIRONMENT } from '@app/configuration/configuration.module';
import { StoreUnavailable, SubscriptionDropped } from '@app/event-store';
import { ServiceLog } from '@app/http/server';
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
  const ports = { module: class {}, global: true, providers: [{ provide: ENVIRONMENT, useValue: environment }], exports: [ENVIRONMENT] };
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
