import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deliveryCodec, deliveryStream, ResendCallback } from '@app/callbacks';
import { StoreUnavailable, type EventId } from '@app/event-store';
import { BulkResending, OperatorLists } from '@app/investigation';
import { addMs } from '@app/kernel';
import { openReadModel, type LocalReadModel } from '@app/read-models';
import { decodeAny } from '@app/read-models/queries';
import { projectWholeLog } from '@app/read-models/testing';
import { OperatorWorld, STREAM, type Asked } from '../testing/operator-world';
import { OperatorResendingController } from './operator-resending.controller';

const FAILURE = { cause: 'answered', status: 503 } as const;
const REASON = 'their server was down';
const UNKNOWN = 'the outcome is unknown: check it, then repeat the request';
const idOf = (number: number): EventId => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}` as EventId;

let world: OperatorWorld;
let model: LocalReadModel;
let folder: string;
let resending: ResendCallback;

const fail = async (number: number, merchant: string): Promise<void> => {
  const stream = deliveryStream(idOf(number), 'callback');
  const now = world.clock.now();
  const data = {
    factId: idOf(number),
    target: 'callback',
    orderStream: STREAM,
    tryNumber: 1,
    failure: FAILURE,
    failedAt: now,
    nextTryAt: addMs(now, 86_400_000),
  } as const;
  const envelope = { correlation: 's', causation: 's', actor: 'orchestrator', merchant, commandId: `d${number}`, recordedAt: now };
  await world.log.append(stream, 'no_stream', deliveryCodec.encode([{ type: 'CallbackFailed', data }], stream, 'no_stream', envelope));
};

const requested = async (number: number): Promise<number> =>
  (await world.events(deliveryStream(idOf(number), 'callback'))).filter(({ type }) => type === 'CallbackResendRequested').length;
const ask = (name: string, more: object = {}): Promise<Asked> =>
  world.ask(name, '/deliveries/resending', { state: 'failed', reason: REASON, ...more });

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'resending-'));
  world = await OperatorWorld.open();
  world.operator('kim', 'operator');
  world.operator('lim', 'operator', ['other']);
  const { log, clock, accounts, vault, audit, ids } = world;
  model = await openReadModel({ path: join(folder, 'read-model.sqlite'), log, decode: decodeAny, clock });
  await model.build();
  resending = new ResendCallback({ store: log, sealer: vault, clock, ids });
  const lists = new OperatorLists({ log, readModel: model, accounts, digests: vault, clock });
  const bulk = new BulkResending({ lists, readModel: model, resending, accounts, digests: vault, audit, clock });
  await world.serve([OperatorResendingController], [[BulkResending, bulk]]);
  for (const number of [1, 2, 3, 4]) await fail(number, 'acme' satisfies string);
  await fail(5, 'other');
  await projectWholeLog(model, world.log);
  await world.clock.advance(1_000);
});
afterEach(async () => {
  await world.close();
  await model.close();
  rmSync(folder, { recursive: true });
});

it('POST /deliveries/resending without a token counts the callbacks of the filter and sends nothing', async () => {
  expect(await ask('kim')).toMatchObject({ status: 200, body: { count: 5 } });
  expect(await ask('lim')).toMatchObject({ status: 200, body: { count: 1 } });
  expect(await ask('kim', { state: 'delivered' })).toMatchObject({ status: 200, body: { count: 0 } });
  expect(await requested(1)).toBe(0);
});

describe('POST /deliveries/resending with the token of the count', () => {
  let token: string;
  beforeEach(async () => {
    token = (await ask('kim')).body['token'] as string;
  });

  it('requests an attempt of each callback, in parts with a cursor', async () => {
    let cursor: unknown;
    const parts: unknown[] = [];
    do {
      const { body } = await ask('kim', { token, limit: 2, ...(cursor !== undefined && { cursor }) });
      parts.push([body['requested'], body['skipped']]);
      cursor = body['next'];
    } while (cursor !== undefined);
    expect(parts).toStrictEqual([[2, 0], [2, 0], [1, 0]]); // prettier-ignore
    for (const number of [1, 2, 3, 4, 5]) expect(await requested(number)).toBe(1);
  });

  it('requests nothing twice if a process ended in the middle and the call is repeated', async () => {
    const whole = resending.resend.bind(resending);
    let left = 2;
    jest
      .spyOn(resending, 'resend')
      .mockImplementation((request) => (left-- > 0 ? whole(request) : Promise.reject(new StoreUnavailable('killed'))));
    expect(await ask('kim', { token })).toStrictEqual({ status: 504, body: { error: UNKNOWN } });
    left = Infinity;
    await ask('kim', { token });
    await projectWholeLog(model, world.log);
    await ask('kim', { token });
    for (const number of [1, 2, 3, 4, 5]) expect(await requested(number)).toBe(1);
  });

  it('skips a callback that changed since the count', async () => {
    await resending.resend({ deliveryId: `${idOf(1)}:callback`, reason: REASON, by: { actor: 'operator:ann' } });
    await world.clock.advance(1);
    await projectWholeLog(model, world.log);
    expect(await ask('kim', { token })).toMatchObject({ status: 202, body: { requested: 4, skipped: 1 } });
    expect(await requested(1)).toBe(1);
  });

  it('is refused for another filter, another operator’s merchants, a made-up token and after 24 hours', async () => {
    const refused = { status: 409, body: { error: 'count the callbacks of this filter first' } };
    expect(await ask('kim', { token, merchant: 'acme' })).toStrictEqual(refused);
    expect(await ask('lim', { token })).toStrictEqual(refused);
    expect(await ask('kim', { token: `${token.slice(0, -1)}g` })).toStrictEqual(refused);
    expect((await ask('kim', { token, limit: 1_001 })).status).toBe(400);
    await world.clock.advance(86_400_000);
    expect(await ask('kim', { token })).toStrictEqual(refused);
    expect(await requested(1)).toBe(0);
  });

  it('sends only callbacks of its merchants for a limited operator', async () => {
    const { body } = await ask('lim');
    expect(await ask('lim', { token: body['token'] })).toMatchObject({ status: 202, body: { requested: 1 } });
    expect([await requested(1), await requested(5)]).toStrictEqual([0, 1]);
  });

  it('requests nothing for a filter that matches nothing', async () => {
    const { body } = await ask('kim', { state: 'delivered' });
    expect(await ask('kim', { state: 'delivered', token: body['token'] })).toStrictEqual({
      status: 202,
      body: { requested: 0, skipped: 0 },
    });
  });
});
