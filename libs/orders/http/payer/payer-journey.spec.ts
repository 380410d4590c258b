import { Secret, sleep, type AttemptKey, type ClientOrderId, type OrderId, type Sealed } from '@app/kernel';
import type { OrderSealer } from '@app/card-vault';
import { FORM_PAGE_POLICY } from '@app/gateway-protocol';
import { RequestDeadlines, StoreUnavailable, type StreamName } from '@app/event-store';
import type { Accounts } from '@app/configuration';
import type { OrderStatusView } from '@app/read-models';
import { ATTEMPT_KEY, OTHER_KEY, sampleCard, sampleReceipt, settle, VirtualClock } from '@app/testing';
import type { CurrentOrderReader } from '@app/read-models/queries';
import type { ReturnPayer } from '../../application/work/return-payer';
import { packTexts } from '../../domain/accepted-order';
import type { PayerPage } from './order-page';
import { FINAL_STATE_WAIT_MS, PayerJourney, UNKNOWN_AFTER_MS } from './payer-journey';

const STREAM = 'payment-1' as StreamName;
const ADDRESSES = {
  redirectUrl: 'https://shop.example/any',
  redirectSuccessUrl: 'https://shop.example/thanks',
  redirectFailUrl: 'https://shop.example/sorry',
};

const setUp = (details: object = ADDRESSES, merchant: object = {}) => {
  const clock = new VirtualClock();
  const deadlineClock = new VirtualClock();
  const never = <Answer>(): Promise<Answer> => new Promise(() => undefined);
  const world = {
    stalled: undefined as 'log' | 'vault' | undefined,
    reads: 0,
    errors: [] as unknown[],
    passages: [] as string[],
    status: 'processing' as OrderStatusView['status'],
    returning: (): Promise<unknown> => new Promise(() => undefined),
    readMs: 0 as number | undefined,
  };
  const view = (): Partial<OrderStatusView> => ({
    attemptKey: ATTEMPT_KEY,
    status: world.status,
    finalAt: world.status === 'processing' || world.status === 'unknown' ? null : clock.now(),
    orderId: 'p0sample0order1r' as OrderId,
    clientOrderId: 'inv-1' as ClientOrderId,
    operation: 'sale',
    amountMinor: '1042',
    details: 'sealed' as Sealed,
    payer: null,
    gate: null,
    code: world.status === 'declined' ? 116 : null,
    card: sampleCard(),
    issuer: null,
    receipt: sampleReceipt(),
  });
  const journey = new PayerJourney({
    orders: {
      ofStream: async () => {
        world.reads++;
        if (world.stalled === 'log') return never();
        if (world.readMs === undefined) return undefined;
        if (world.readMs > 0) await sleep(clock, world.readMs);
        return view();
      },
    } as unknown as CurrentOrderReader,
    returnPayer: { payerReturned: () => world.returning() } as unknown as ReturnPayer,
    sealer: { unseal: () => (world.stalled === 'vault' ? never() : Promise.resolve(packTexts(details))) } as unknown as OrderSealer,
    accounts: { merchant: () => ({ controlKey: new Secret('k'), name: 'Acme & Co', ...merchant }) } as unknown as Accounts,
    scheduler: clock,
    deadlines: new RequestDeadlines(deadlineClock, deadlineClock),
    onError: (error) => world.errors.push(error),
    onPassage: (passage, { orderId }) => world.passages.push(`${passage} ${orderId}`),
  });
  const returned = async (key: AttemptKey = ATTEMPT_KEY) => {
    const startedAt = clock.now();
    let page: PayerPage | undefined;
    let isDone = false;
    const asking = journey.completeAuthentication(STREAM, key, new Map()).then((shown) => {
      page = shown;
      isDone = true;
    });
    await clock.advanceUntil(() => isDone, 60_000);
    await asking;
    return { page: page?.html, policy: page?.policy, reloadSeconds: page?.reloadSeconds, waitedMs: clock.now() - startedAt };
  };
  return { clock, deadlineClock, world, journey, returned };
};

it('a payer’s start and return are reported with the order id, but a reload and an unknown key are not', async () => {
  const { clock, world, journey, returned } = setUp();
  await journey.startAuthentication(STREAM, ATTEMPT_KEY);
  await journey.showOrder(STREAM, ATTEMPT_KEY);
  await returned();
  const unknown = journey.startAuthentication(STREAM, OTHER_KEY);
  await clock.advance(UNKNOWN_AFTER_MS);
  await unknown;
  expect(world.passages).toStrictEqual(['payer-start p0sample0order1r', 'payer-return p0sample0order1r']);
});

describe('the page after the payer’s return (protocol decisions, D7.2)', () => {
  it('leads back to the merchant immediately if the order is final and leaves no timer', async () => {
    const { clock, world, returned } = setUp();
    world.returning = () => {
      world.status = 'approved';
      return Promise.resolve();
    };
    const { page, policy, waitedMs } = await returned();
    expect(page).toContain('action="https://shop.example/thanks"');
    expect(policy).toBe(FORM_PAGE_POLICY);
    expect(waitedMs).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('reloads itself if the gate does not answer within 5 s [W349]', async () => {
    const { clock, world, returned } = setUp();
    const { page, reloadSeconds, waitedMs } = await returned();
    expect(page).toContain('is being processed');
    expect(page).toContain('<a class="go" href="">Reload</a>');
    expect(reloadSeconds).toBeGreaterThan(0);
    expect(waitedMs).toBe(FINAL_STATE_WAIT_MS);
    expect(world.reads).toBeLessThanOrEqual(3);
    expect(clock.pending).toBe(0);
  });

  it('waits at most 5 s if the gate answers unknown, and reads the order at most 15 times', async () => {
    const { clock, world, returned } = setUp();
    world.returning = () =>
      new Promise((resolve) => {
        clock.after(4_000, () => {
          world.status = 'unknown';
          resolve(undefined);
        });
      });
    expect((await returned()).waitedMs).toBe(FINAL_STATE_WAIT_MS);
    world.reads = 0;
    world.returning = () => Promise.resolve();
    expect((await returned()).waitedMs).toBe(FINAL_STATE_WAIT_MS);
    expect(world.reads).toBeLessThanOrEqual(15);
  });

  it('shows an outcome that arrives during the wait [W505]', async () => {
    const { clock, world, returned } = setUp();
    world.returning = () => Promise.resolve();
    clock.after(1_000, () => {
      world.status = 'declined';
    });
    const { page, waitedMs } = await returned();
    expect(page).toContain('action="https://shop.example/sorry"');
    for (const [name, value] of Object.entries({
      status: 'declined',
      error_code: '116',
      'error-code': '116',
      'card-type': 'VISA',
      'card-exp-month': '12',
      'processor-tx-id': 'PNTEST-1',
    }))
      expect(page).toContain(`<input type="hidden" name="${name}" value="${value}">`);
    expect(waitedMs).toBeLessThanOrEqual(1_500);
  });

  it('is shown even if the gate call fails, and the failure is reported', async () => {
    const { world, returned } = setUp();
    const away = new Error('away');
    world.returning = () => Promise.reject(away);
    expect((await returned()).reloadSeconds).toBeGreaterThan(0);
    expect(world.errors).toEqual([away]);
  });

  it('throws if the payer’s return could not be recorded, so that the payer retries', async () => {
    const { clock, world, journey } = setUp();
    world.returning = () => Promise.reject(new StoreUnavailable('away'));
    await expect(journey.completeAuthentication(STREAM, ATTEMPT_KEY, new Map())).rejects.toThrow(StoreUnavailable);
    expect(clock.pending).toBe(0);
  });

  it('is undefined for another key, and the gate is not called', async () => {
    const { clock, world, returned } = setUp();
    world.returning = () => Promise.reject(new Error('must not be called'));
    expect((await returned(OTHER_KEY)).page).toBeUndefined();
    expect(world.errors).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});

describe('a payer’s page if a store does not respond', () => {
  type Journey = ReturnType<typeof setUp>['journey'];
  it.each<[string, 'log' | 'vault', (journey: Journey) => Promise<unknown>]>([
    ['the log, before the authentication', 'log', (journey) => journey.startAuthentication(STREAM, ATTEMPT_KEY)],
    ['the vault, before the authentication', 'vault', (journey) => journey.startAuthentication(STREAM, ATTEMPT_KEY)],
    ['the log, at a reload', 'log', (journey) => journey.showOrder(STREAM, ATTEMPT_KEY)],
    ['the vault, at a reload', 'vault', (journey) => journey.showOrder(STREAM, ATTEMPT_KEY)],
    ['the log, after the authentication', 'log', (journey) => journey.completeAuthentication(STREAM, ATTEMPT_KEY, new Map())],
    ['the vault, after the authentication', 'vault', (journey) => journey.completeAuthentication(STREAM, ATTEMPT_KEY, new Map())],
  ])('fails within ten seconds: %s', async (_, store, ask) => {
    const { clock, deadlineClock, world, journey } = setUp();
    world.status = 'approved';
    world.returning = () => Promise.resolve();
    world.stalled = store;
    const asked = ask(journey);
    asked.catch(() => undefined);
    await clock.advance(9_999);
    await deadlineClock.advance(9_999);
    await expect(asked).rejects.toThrow(StoreUnavailable);
  });

  it('fails within ten seconds while the payer’s return is being recorded, and the recording continues', async () => {
    const { clock, deadlineClock, world, journey } = setUp();
    let write = (): void => undefined;
    let isWritten = false;
    world.returning = () => new Promise<void>((resolve) => (write = resolve)).then(() => void (isWritten = true));
    const asked = journey.completeAuthentication(STREAM, ATTEMPT_KEY, new Map());
    asked.catch(() => undefined);
    await clock.advance(100);
    world.stalled = 'log';
    await clock.advance(9_899);
    await deadlineClock.advance(9_999);
    await expect(asked).rejects.toThrow(StoreUnavailable);
    write();
    await settle();
    expect(isWritten).toBe(true);
  });
});

describe('a payer’s page for an unknown attempt key (safety, T10)', () => {
  it.each(['startAuthentication', 'showOrder', 'completeAuthentication'] as const)(
    'is undefined after the same time for any order and any read time: %s',
    async (method) => {
      const { clock, world, journey } = setUp();
      const waitedMs: number[] = [];
      for (const readMs of [undefined, 0, 1, UNKNOWN_AFTER_MS - 1]) {
        world.readMs = readMs;
        const startedAt = clock.now();
        let page: PayerPage | undefined | 'none yet' = 'none yet';
        void journey[method](STREAM, OTHER_KEY, new Map()).then((shown) => (page = shown));
        await clock.advanceUntil(() => page !== 'none yet', 60_000);
        expect(page).toBeUndefined();
        waitedMs.push(clock.now() - startedAt);
      }
      expect(new Set(waitedMs)).toStrictEqual(new Set([UNKNOWN_AFTER_MS]));
      expect(clock.pending).toBe(0);
    },
  );
});

describe('the page of a final order (interface, section 2.4)', () => {
  it.each([
    ['approved', 'https://shop.example/thanks'],
    ['declined', 'https://shop.example/sorry'],
    ['filtered', 'https://shop.example/sorry'],
    ['error', 'https://shop.example/any'],
  ] as const)('returns the payer of an order that is %s to %s [W22, W23, W344, W580]', async (status, address) => {
    const { world, journey } = setUp();
    world.status = status;
    const { html, reloadSeconds } = (await journey.showOrder(STREAM, ATTEMPT_KEY)) ?? {};
    expect(html).toContain(`action="${address}"`);
    expect(html).toContain(`The payment was ${status === 'approved' ? '' : 'not '}approved. You are being taken back to Acme &amp; Co.`);
    expect(reloadSeconds).toBeUndefined();
  });

  it.each(['approved', 'declined', 'error'] as const)(
    'has no link if an order that is %s has no return address [W348, W581]',
    async (status) => {
      const { world, journey } = setUp({ description: 'shoes' });
      world.status = status;
      const { html, reloadSeconds } = (await journey.showOrder(STREAM, ATTEMPT_KEY)) ?? {};
      expect(html).toContain(status === 'approved' ? 'was approved' : 'was not approved');
      expect(html).toContain('You can close this page and go back to Acme &amp; Co.');
      expect(html).not.toMatch(/<form|<a /);
      expect(reloadSeconds).toBeUndefined();
    },
  );

  it.each<[string, object, object, string]>([
    ['the configured shop', ADDRESSES, { siteUrl: 'https://acme.example/' }, 'https://acme.example/'],
    ['the site of the order’s other addresses', { redirectSuccessUrl: 'https://shop.example/thanks?order=1' }, {}, 'https://shop.example'],
  ])('links to %s if there is no address for the status [W581]', async (_target, details, merchant, href) => {
    const { redirectUrl: _any, redirectFailUrl: _fail, ...others } = details as typeof ADDRESSES;
    const { world, journey } = setUp(others, merchant);
    world.status = 'declined';
    expect((await journey.showOrder(STREAM, ATTEMPT_KEY))?.html).toContain(`<a class="go" href="${href}">Back to Acme &amp; Co</a>`);
  });
});
