import { StoreUnavailable } from '@app/event-store';
import { FollowUpService } from '@app/investigation';
import { isEventOf, SEALED_FIELDS } from '@app/orders/domain';
import { ORDER, OperatorWorld, STREAM } from '../testing/operator-world';
import { FourEyes } from './four-eyes';
import { OperatorFollowUpsController } from './operator-follow-ups.controller';

const REASON = 'the goods did not arrive';
const path = (kind: 'returns' | 'captures' | 'voids'): string => `/orders/${ORDER.orderId}/${kind}`;

let world: OperatorWorld;
beforeEach(async () => {
  world = await OperatorWorld.open();
  world.operator('kim', 'operator');
  world.operator('ann', 'investigator');
  world.operator('bob', 'operator', ['other']);
  world.operator('eve', 'operator', ['acme']);
  await world.serve(
    [OperatorFollowUpsController],
    [
      [FollowUpService, world.followUps],
      [FourEyes, world.fourEyes({ approvals: {} })],
    ],
  );
});
afterEach(() => world.close());

const returned = (name: string, more: object = {}) => world.ask(name, path('returns'), { reason: REASON, key: 'ticket-4711', ...more });
const accepted = async () => (await world.events(STREAM)).filter((event) => isEventOf(event, 'follow-up'));

describe('POST /orders/{orderId}/returns', () => {
  beforeEach(() => world.approvedOrder());

  it('accepts a return for the operator, with a sealed reason and a callback to notify_url', async () => {
    const { status, body } = await returned('kim', { amount: '4.00' });
    const followUp = { number: 1, operation: 'reversal', status: 'processing', amount: '4.00' };
    expect([status, body]).toMatchObject([200, { orderId: ORDER.orderId, followUp }]);
    const [event] = await accepted();
    expect(event).toMatchObject({ by: 'operator:kim', data: { amount: { minor: 400n }, callbacks: ['notify'] } });
    const { reason } = event?.data as { readonly reason: never };
    await expect(world.vault.unseal(ORDER.merchant, SEALED_FIELDS.settlementReason, reason)).resolves.toBe(REASON);
  });

  it('is recorded in the audit before it runs and afterwards', async () => {
    await returned('kim');
    expect(await world.events()).toMatchObject([
      { type: 'OperatorActionBegun', by: 'operator:kim', data: { action: 'return-order', target: ORDER.orderId, role: 'operator' } },
      { type: 'OperatorActionEnded', data: { outcome: 'done' } },
    ]);
  });

  it('returns all that is left if it has no amount', async () => {
    await returned('kim', { amount: '4.00' });
    expect(await returned('kim', { key: 'ticket-4712' })).toMatchObject({ status: 200, body: { followUp: { number: 2, amount: '6.42' } } });
  });

  it('returns the same follow-up for a repeated key, and none for the key with another amount', async () => {
    const first = await returned('kim', { amount: '4.00' });
    expect(await returned('eve', { amount: '4.00' })).toStrictEqual(first);
    expect(await returned('kim')).toStrictEqual(first);
    expect(await returned('kim', { amount: '5.00' })).toStrictEqual({
      status: 409,
      body: { error: 'key was used for another amount', code: 7 },
    });
    expect(await accepted()).toHaveLength(1);
  });

  it('has an unknown outcome if the follow-up is stored and cannot be read back, so that nobody repeats it under another key', async () => {
    const read = world.orders.ofStream.bind(world.orders);
    jest.spyOn(world.orders, 'ofStream').mockImplementationOnce(read).mockRejectedValueOnce(new StoreUnavailable('away'));
    const answer = await returned('kim', { amount: '4.00' });
    expect(answer).toStrictEqual({ status: 504, body: { error: 'the outcome is unknown: check it, then repeat the request' } });
    expect((await world.events()).at(-1)).toMatchObject({ type: 'OperatorActionEnded', data: { outcome: 'unknown' } });
    expect(await returned('kim', { amount: '4.00' })).toMatchObject({ status: 200, body: { followUp: { number: 1 } } });
    expect(await accepted()).toHaveLength(1);
  });

  it('accepts one of several concurrent requests with one key', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => returned('kim', { amount: '4.00' })));
    expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
    expect(await accepted()).toHaveLength(1);
  });

  it.each<[object, number, string]>([
    [{ amount: '10.43' }, 9, 'Amount out of range'],
    [{ amount: '4.00', currency: 'EUR' }, 8, 'Currency is not served by the entry point, or is not that of the order'],
  ])('refuses %j with the code of the merchant API', async (more, code, error) => {
    expect(await returned('kim', more)).toStrictEqual({ status: 409, body: { error, code } });
    expect(await accepted()).toStrictEqual([]);
  });

  it('refuses a return if no entry point of the merchant offers it', async () => {
    world.operations.delete('return');
    expect(await returned('kim')).toStrictEqual({ status: 409, body: { error: 'Operation is not supported', code: 10 } });
  });

  it.each<[object, string]>([
    [{ amount: '0.00' }, 'amount must be in major units and above zero, such as "10.00"'],
    [{ amount: 4 }, 'amount must be in major units, such as "10.00"'],
    [{ currency: 'USD' }, 'amount and currency must be given together'],
    [{ key: 'short' }, 'key must have 8 to 128 visible characters without blanks'],
    [{ reason: ' ' }, 'reason must be a text of 1 to 1000 characters, with a word in it and no control characters'],
  ])('returns 400 and records nothing for %j', async (more, error) => {
    expect(await returned('kim', more)).toStrictEqual({ status: 400, body: { error } });
    expect(await world.events()).toStrictEqual([]);
  });

  it("answers 404 for an order of another merchant than the operator's, and 403 below the role operator", async () => {
    for (const more of [{}, { merchant: 'acme' }])
      expect(await returned('bob', more)).toStrictEqual({ status: 404, body: { error: 'unknown-order' } });
    expect(await returned('kim', { merchant: 'other' })).toMatchObject({ status: 404 });
    expect(await returned('ann')).toStrictEqual({
      status: 403,
      body: { error: 'return-order needs the role operator, and this operator has investigator' },
    });
    expect(await accepted()).toStrictEqual([]);
    expect((await returned('eve')).status).toBe(200);
  });
});

describe('POST /orders/{orderId}/captures and /voids', () => {
  it('voids the whole amount of a sale, and captures nothing of it', async () => {
    await world.approvedOrder();
    const asked = { reason: REASON, key: 'ticket-4711' };
    expect(await world.ask('kim', path('captures'), asked)).toStrictEqual({
      status: 409,
      body: { error: 'Operation is not possible in the final state of the order', code: 11 },
    });
    expect(await world.ask('kim', path('voids'), { ...asked, amount: '1.00' })).toMatchObject({ status: 400 });
    expect(await world.ask('kim', path('voids'), asked)).toMatchObject({
      status: 200,
      body: { followUp: { operation: 'void', amount: '10.42' } },
    });
  });

  it('refuses an order that is not final with code 4', async () => {
    await world.append({ type: 'OrderAccepted', data: ORDER });
    const answer = await world.ask('kim', path('voids'), { reason: REASON, key: 'ticket-4711' });
    expect(answer).toStrictEqual({ status: 409, body: { error: 'Order is not in a final status', code: 4 } });
  });
});
