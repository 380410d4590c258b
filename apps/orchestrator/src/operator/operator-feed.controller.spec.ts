import 'reflect-metadata';
import { get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { newOperatorToken, sha256OfToken, type Operator } from '@app/configuration';
import { MemoryEventStore } from '@app/event-store/stores/memory';
import { LimitedExpressAdapter } from '@app/http/server';
import { OperatorAccess, OrderFeed, QueryAudit } from '@app/investigation';
import type { OperatorAudit } from '@app/investigation/record';
import { eventually, VirtualClock } from '@app/testing';
import { OPERATOR_LISTENER, OperatorGuard } from './operator.guard';
import { SessionCookies } from './session-cookies';
import { OperatorFeedController } from './operator-feed.controller';

const TOKEN = newOperatorToken();
const ANN: Operator = { name: 'ann', role: 'viewer', tokenSha256: sha256OfToken(TOKEN) };

const clock = new VirtualClock();
const store = new MemoryEventStore(clock);
const feed = new OrderFeed({ log: store, scheduler: clock });
const recorded: unknown[] = [];
const audit = { answered: async (...what: unknown[]) => void recorded.push(what), refused: () => undefined } as unknown as OperatorAudit;
let app: INestApplication;

beforeAll(async () => {
  const module = await Test.createTestingModule({
    controllers: [OperatorFeedController],
    providers: [
      OperatorGuard,
      { provide: OPERATOR_LISTENER, useValue: { served: () => undefined } },
      { provide: OperatorAccess, useValue: new OperatorAccess(() => [ANN], audit) },
      { provide: SessionCookies, useValue: {} },
      { provide: QueryAudit, useValue: new QueryAudit(audit, { onceKey: () => 'd' }) },
      { provide: OrderFeed, useValue: feed },
    ],
  }).compile();
  app = module.createNestApplication(new LimitedExpressAdapter({ closeMs: 100 }), { bodyParser: false, logger: false });
  await app.listen(0, '127.0.0.1');
  const unnamed = { type: 'Unnamed', data: '{}', metadata: '{}' };
  for (let number = 1; number <= 3; number += 1)
    await store.append(`payment-${number}` as never, 'no_stream', [
      { id: `00000000-0000-4000-8000-00000000000${number}`, ...unnamed } as never,
    ]);
});
afterAll(() => app.close());
afterEach(() => recorded.splice(0));

const open = (headers: Readonly<Record<string, string>>, path = '/feed'): Promise<IncomingMessage & { text: string }> =>
  new Promise((resolve, reject) => {
    const { port } = (app.getHttpServer() as Server).address() as AddressInfo;
    get({ port, host: '127.0.0.1', path, headers: { authorization: `Bearer ${TOKEN}`, ...headers }, agent: false }, (response) => {
      const answer = Object.assign(response, { text: '' });
      response.setEncoding('utf8').on('data', (part: string) => (answer.text += part));
      resolve(answer);
    }).on('error', reject);
  });

it('GET /feed resumes after Last-Event-ID rather than from, and is recorded once', async () => {
  const answer = await open({ 'last-event-id': '2' }, '/feed?from=0');
  await eventually(async () => {
    await clock.advance(50);
    return answer.text.includes('id: 3\ndata: {"position":"3","kind":"payment","orderId":null,"type":"Unnamed"}\n\n');
  });
  expect(answer.text).not.toContain('id: 1\n');
  expect(answer.headers).toMatchObject({
    'content-type': 'text/event-stream;charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  expect(recorded).toMatchObject([[{ actor: 'operator:ann' }, { query: 'read-feed', filters: ['from'], rows: 0 }]]);
  answer.destroy();
  await eventually(() => feed.readers === 0);
});

it.each<[Readonly<Record<string, string>>, string, number, string]>([
  [{ authorization: '' }, '/feed', 401, 'a valid operator token or session is required'],
  [{}, '/feed?from=x', 400, 'from must be a position of the feed'],
  [{}, '/feed?from=99', 400, 'the log ends before this position: begin again without it'],
])('GET /feed with %j at %s answers %i and reads nothing', async (headers, path, status, error) => {
  const answer = await open(headers, path);
  await eventually(() => answer.text !== '');
  expect([answer.statusCode, JSON.parse(answer.text), recorded, feed.readers]).toStrictEqual([status, { error }, [], 0]);
});
