import * as parties from './testing';
import {
  bodyOf,
  closeWorlds,
  sale,
  SERIAL,
  STEP_MS,
  transfer,
  valueOf,
  verification,
  type World,
  world,
} from './testing/world/device-world';

afterEach(closeWorlds);

describe('polling (protocol decisions, section 8)', () => {
  const steps = (...states: parties.Step['state'][]): readonly parties.Step[] => states.map((state) => ({ state }));
  const PAYER = 'https://gateway.example/pay/1';
  const ours = { invoiceId: parties.invoiceIdOf(1), session: { token: parties.tokenOf(parties.invoiceIdOf(1)) } };

  /** Ends with the first answer after the limit, at most one delay later. */
  const expectEndAfter = (limitMs: number, tookMs: number): void => {
    expect(tookMs).toBeGreaterThanOrEqual(limitMs);
    expect(tookMs).toBeLessThanOrEqual(limitMs + 5_000 + STEP_MS);
  };

  it('requests the status every 3 to 5 s until it is final, and then the card ids [W55, W440]', async () => {
    const w = await world({ steps: steps('PROCESSING', 'PROCESSING', 'APPROVED') });
    const askedAtMs: number[] = [];
    const startedAt = w.clock.now();
    const run = await w.clock.until(w.session.run(sale, { onStatus: () => askedAtMs.push(w.clock.now()) }));
    expect(run).toMatchObject({
      step: 'follow',
      ending: { kind: 'final', status: { state: 'APPROVED', bankOrderId: 'PNTEST-1' } },
      cards: {
        kind: 'answered',
        value: {
          sourceCard: { bin: 444433, reference: { clientCardId: parties.SOURCE_CLIENT_CARD_ID } },
          destinationCard: { bin: 555544, reference: { clientCardId: parties.DESTINATION_CLIENT_CARD_ID } },
        },
      },
    });
    const gapsMs = askedAtMs.map((atMs, index) => atMs - (askedAtMs[index - 1] ?? startedAt));
    expect(gapsMs).toHaveLength(3);
    expect(gapsMs.every((gapMs) => gapMs >= 3_000 && gapMs <= 5_000 + STEP_MS)).toBe(true);
    const clientIds = w.both.merchant.receivedAt(`/cardrefs/${parties.invoiceIdOf(1)}/get-client-ids`);
    expect(clientIds.map(bodyOf)).toStrictEqual([
      { consumer: { device: { serialNumber: SERIAL } }, session: { accessToken: parties.ACCESS_TOKEN } },
    ]);
  });

  it('waits a varying 3 to 5 s between requests [W440]', async () => {
    const w = await world({ steps: steps('PROCESSING') });
    const run = await w.clock.until(w.session.run(sale));
    expect(run.ending).toMatchObject({ kind: 'still-open', status: { state: 'PROCESSING' } });
    expect(Math.min(...w.clock.waitedMs)).toBeGreaterThanOrEqual(3_000);
    expect(Math.max(...w.clock.waitedMs)).toBeLessThanOrEqual(5_000);
    expect(new Set(w.clock.waitedMs).size).toBeGreaterThan(10);
  });

  it('stops after 3 minutes and can be resumed [W440]', async () => {
    let isSettled = false;
    const w = await world({ gateway: ({ path }) => (path.endsWith('/status') && !isSettled ? 'cut' : undefined) });
    const invoice = valueOf(await w.session.initiate(sale));
    const transaction = valueOf(await w.session.perform(sale, invoice));
    const startedAt = w.clock.now();
    expect(await w.clock.until(w.session.follow(transaction))).toMatchObject({
      kind: 'still-open',
      failure: { kind: 'no-answer', reason: 'connection-lost' },
    });
    expectEndAfter(180_000, w.clock.now() - startedAt);
    isSettled = true;
    expect(await w.clock.until(w.session.follow(transaction))).toMatchObject({ kind: 'final', status: { state: 'APPROVED' } });
  });

  it('ends with the code of a decline and requests no card ids (interface, section 3.2) [W58]', async () => {
    const w = await world({ steps: steps('DECLINED') });
    const run = await w.clock.until(w.session.run(verification));
    expect(run).toMatchObject({
      ending: { kind: 'final', status: { state: 'DECLINED', errorCode: 116, errorMessage: 'Not sufficient funds' } },
    });
    expect(run).not.toHaveProperty('cards');
  });

  it('passes the page of REDIRECT_REQUEST to the app once (interface, section 3.2) [W56]', async () => {
    const w = await world({ steps: steps('REDIRECT_REQUEST', 'REDIRECT_REQUEST', 'PROCESSING', 'APPROVED') });
    const pages: string[] = [];
    const run = await w.clock.until(w.session.run(verification, { onRedirect: (url) => void pages.push(url) }));
    expect(run.ending.kind).toBe('final');
    expect(pages).toStrictEqual([PAYER]);
  });

  it('allows 15 minutes for the payer and another 3 minutes for the next state [W440]', async () => {
    const away = await world({ steps: steps('REDIRECT_REQUEST') });
    const startedAt = away.clock.now();
    const enteredAt: number[] = [];
    const run = await away.clock.until(away.session.run(verification, { onStatus: () => enteredAt.push(away.clock.now()) }));
    expect(run.ending).toMatchObject({ kind: 'still-open', status: { state: 'REDIRECT_REQUEST' } });
    expectEndAfter(900_000, away.clock.now() - (enteredAt[0] ?? startedAt));

    const back = await world({ steps: steps(...Array<'REDIRECT_REQUEST'>(100).fill('REDIRECT_REQUEST'), 'PROCESSING') });
    const processingAt: number[] = [];
    const onStatus = ({ state }: { readonly state: string }) => void (state === 'PROCESSING' && processingAt.push(back.clock.now()));
    expect((await back.clock.until(back.session.run(verification, { onStatus }))).ending).toMatchObject({
      kind: 'still-open',
      status: { state: 'PROCESSING' },
    });
    expectEndAfter(180_000, back.clock.now() - (processingAt[0] ?? 0));
  });

  it('stops if a gateway repeats its states indefinitely', async () => {
    const circle = Array.from({ length: 50 }, () => steps('PROCESSING', 'REDIRECT_REQUEST')).flat();
    const w = await world({ steps: circle });
    expect((await w.clock.until(w.session.run(verification))).ending.kind).toBe('still-open');
    expect(w.both.gateway.received.filter(({ path }) => path.endsWith('/status'))).toHaveLength(21);
  });

  it.each(['FILTERED', 'PROCESSING_FAILED', 'ORDER_NOT_FOUND', 'INVALID_REQUEST'])('ends with %s [W128, W160]', async (cause) => {
    const error = { cause, code: '77', message: 'no' };
    const w = await world({ gateway: ({ path }) => (path.endsWith('/status') ? { json: { error } } : undefined) });
    expect((await w.clock.until(w.session.run(sale))).ending).toStrictEqual({ kind: 'refused', ...error });
  });

  it.each<[string, parties.Reply]>([
    ['an error of the moment', { json: { error: { cause: 'INTERNAL_ERROR', code: '1', message: '' } } }],
    ['a page', { text: '<html>', status: 503 }],
    [
      'the status of another session',
      { json: { invoiceId: parties.invoiceIdOf(1), session: { token: 'x'.repeat(36) }, state: 'DECLINED', bankOrderId: 'b' } },
    ],
    ['the status of another invoice', { json: { ...ours, invoiceId: parties.invoiceIdOf(2), state: 'DECLINED', bankOrderId: 'b' } }],
    ['an approval without its bankOrderId [W57]', { json: { ...ours, state: 'APPROVED' } }],
    ['a decline without its bankOrderId [W58]', { json: { ...ours, state: 'DECLINED', errorCode: 100 } }],
    ['a redirect without its redirectUrl', { json: { ...ours, state: 'REDIRECT_REQUEST' } }],
    ['nothing', 'cut'],
  ])('continues after %s', async (_case, reply) => {
    const w = await world({ gateway: ({ path, count }) => (path.endsWith('/status') && count < 3 ? reply : undefined) });
    expect((await w.clock.until(w.session.run(verification))).ending).toMatchObject({
      kind: 'final',
      status: { state: 'APPROVED', bankOrderId: 'PNTEST-1' },
    });
  });
});

describe('TRANSFER_FEE_REQUEST (interface, section 3.2)', () => {
  const steps: readonly parties.Step[] = [{ state: 'PROCESSING' }, { state: 'TRANSFER_FEE_REQUEST' }, { state: 'APPROVED' }];
  const completes = ({ both }: World) => both.gateway.received.filter(({ path }) => path.endsWith('/gate-cheap'));
  const cheap = {
    chooseFee: (fees: readonly { assignedId: string }[]) => fees.find(({ assignedId }) => assignedId === 'gate-cheap'),
  } as never;

  it('passes the offered fees to the app and completes with its choice [W60, W74]', async () => {
    const w = await world({ steps });
    const offered: unknown[] = [];
    const run = await w.clock.until(
      w.session.run(transfer, {
        chooseFee: (fees) => {
          offered.push(...fees);
          return fees[1];
        },
      }),
    );
    expect(run.ending).toMatchObject({ kind: 'final', status: { state: 'APPROVED' } });
    expect(offered).toMatchObject(parties.FEES);
    expect(completes(w).map(({ path, body }) => [path, JSON.parse(body) as unknown])).toStrictEqual([
      [
        `/paynet/dapi/v1/transfer/4711/${parties.invoiceIdOf(1)}/gate-cheap`,
        { session: { accessToken: parties.ACCESS_TOKEN, token: expect.stringContaining('11111111-') } },
      ],
    ]);
  });

  it.each([undefined, { chooseFee: () => undefined }])(
    'ends the polling and sends no choice if the app makes none: %j',
    async (watcher) => {
      const w = await world({ steps });
      expect((await w.clock.until(w.session.run(transfer, watcher))).ending).toMatchObject({ kind: 'fee-not-chosen', fees: parties.FEES });
      expect(w.both.gateway.received.filter(({ path }) => /\/gate-/.test(path))).toHaveLength(0);
    },
  );

  it('throws RangeError if the app chooses a fee that was not offered', async () => {
    const w = await world({ steps });
    const choosing = w.clock.until(
      w.session.run(transfer, { chooseFee: () => ({ assignedId: 'mine', commissionCentis: 0, currency: 'USD' }) }),
    );
    await expect(choosing).rejects.toThrow(RangeError);
  });

  it.each<[string, parties.Reply]>([
    ['lost on its way', 'cut'],
    ['answered for another session', { json: { invoiceId: parties.invoiceIdOf(1), session: { token: 'x'.repeat(36) } } }],
  ])('sends a choice that was %s again unchanged without asking the app twice', async (_case, reply) => {
    const w = await world({ steps, gateway: ({ path, count }) => (path.endsWith('/gate-cheap') && count === 1 ? reply : undefined) });
    let asked = 0;
    const run = w.session.run(transfer, { chooseFee: (fees) => ((asked += 1), fees[1]) });
    expect((await w.clock.until(run)).ending).toMatchObject({ kind: 'final', status: { state: 'APPROVED' } });
    expect([completes(w).length, asked]).toStrictEqual([2, 1]);
  });

  it('rejects an acknowledgement of another session', async () => {
    const json = { invoiceId: parties.invoiceIdOf(1), session: { token: 'x'.repeat(36) } };
    const w = await world({ gateway: ({ path }) => (path.endsWith('/gate-cheap') ? { json } : undefined) });
    const invoice = valueOf(await w.session.initiate(transfer));
    const transaction = valueOf(await w.session.perform(transfer, invoice));
    const fault = 'session.token is not that of the request';
    expect(await w.session.complete(transaction, 'gate-cheap')).toStrictEqual({ kind: 'malformed', httpStatus: 200, fault });
  });

  it.each([
    ['whose answer was lost and whose repeat is refused', 2],
    ['that something on the way doubled, and whose second copy is refused', 1],
  ])('treats a choice %s as accepted if the next status shows it', async (_case, refusedFrom) => {
    const error = { cause: 'INVALID_REQUEST', code: '5', message: 'waits for no choice' };
    let isTaken = false;
    const gateway = ({ path, count }: parties.ReceivedCall): parties.Reply | undefined => {
      if (path.endsWith('/gate-cheap')) {
        isTaken = count >= refusedFrom;
        return isTaken ? { json: { error } } : 'cut';
      }
      return path.endsWith('/status') && isTaken ? { json: declined } : undefined;
    };
    const declined = {
      invoiceId: parties.invoiceIdOf(1),
      session: { token: parties.tokenOf(parties.invoiceIdOf(1)) },
      state: 'DECLINED',
      bankOrderId: 'b',
      orderId: 't0000000000000or',
      transaction: {
        amountCentis: 1_042,
        orderCreatedDate: '2026-11-21 10:00:00 UTC',
        transactionCreatedDate: '2026-11-21 10:00:00 UTC',
      },
    };
    const w = await world({ steps, gateway });
    expect((await w.clock.until(w.session.run(transfer, cheap))).ending).toMatchObject({ kind: 'final', status: { state: 'DECLINED' } });
    expect(completes(w)).toHaveLength(refusedFrom);
  });

  it('ends the polling if a choice is refused and the next status still awaits one', async () => {
    const error = { cause: 'INVALID_REQUEST', code: '5', message: 'not offered' };
    const w = await world({ steps, gateway: ({ path }) => (path.endsWith('/gate-cheap') ? { json: { error } } : undefined) });
    expect((await w.clock.until(w.session.run(transfer, cheap))).ending).toStrictEqual({ kind: 'refused', ...error });
    expect(completes(w)).toHaveLength(1);
  });

  it('sends an unacknowledged choice five times', async () => {
    const w = await world({ steps, gateway: ({ path }) => (path.endsWith('/gate-cheap') ? 'cut' : undefined) });
    expect((await w.clock.until(w.session.run(transfer, cheap))).ending).toMatchObject({ kind: 'no-answer' });
    expect(completes(w)).toHaveLength(5);
  });
});

it('rejects card ids of another invoice (protocol decisions, section 8)', async () => {
  const { session } = await world({
    merchant: ({ path }) => (path.endsWith('/get-client-ids') ? { json: { invoiceId: 'i-2' } } : undefined),
  });
  expect(await session.clientIds('i-1')).toStrictEqual({
    kind: 'malformed',
    httpStatus: 200,
    fault: 'invoiceId is not that of the request',
  });
});

it('sends the random sum to the merchant server and rejects a response for another invoice (protocol decisions, section 7)', async () => {
  const w = await world({
    merchant: ({ path }) => (path.endsWith('/random-sum') ? { json: { invoiceId: 'i-1' } } : undefined),
  });
  expect(await w.session.tellRandomSum('i-1', 111)).toEqual({ kind: 'answered', value: { invoiceId: 'i-1' } });
  const sent = w.both.merchant.receivedAt('/cardrefs/i-1/random-sum').map(bodyOf);
  expect(sent).toMatchObject([{ transaction: { randomSumCentis: 111 }, session: { accessToken: expect.any(String) as string } }]);
  expect(await w.session.tellRandomSum('i-2', 111)).toMatchObject({ kind: 'malformed' });
});
