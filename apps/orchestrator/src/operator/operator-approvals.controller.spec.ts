import { cardReferenceStream, cardRegistrationCodec } from '@app/card-registration';
import { StoreUnavailable } from '@app/event-store';
import { type ApprovalRules } from '@app/configuration';
import { FollowUpService, OperatorLists, OperatorService, QueryAudit, ErasureService, RetentionPreviews } from '@app/investigation';
import { APPROVAL_REASON, approvalStream, causeOf, PROPOSAL_TERM_MS } from '@app/investigation/approvals';
import { erasureStream } from '@app/investigation/erasure';
import type { CardRefId, Currency, Sealed } from '@app/kernel';
import { isEventOf } from '@app/orders/domain';
import { ACCEPTED_AT as START, attemptEvents } from '@app/testing';
import { ORDER, OperatorWorld, STREAM, type Asked } from '../testing/operator-world';
import { FourEyes } from './four-eyes';
import { GateInquiries } from './gate-inquiries';
import { OperatorApprovalsController } from './operator-approvals.controller';
import { OperatorErasureController } from './operator-erasure.controller';
import { OperatorFollowUpsController } from './operator-follow-ups.controller';
import { OperatorController } from './operator.controller';
import { OperatorReconciliationController } from './operator-reconciliation.controller';
import { ReconciliationService } from './reconciliation.service';

const USD = 'USD' as Currency;
const FROM_4: ApprovalRules = {
  refund: { from: [{ minor: 400n, currency: USD }] },
  resolveUnknown: { from: [] },
  releaseHold: { from: [] },
};
const REASON = 'the goods did not arrive';
const AGREED = { reason: 'checked with the shop' };
const KEY = 'ticket-4711';
const UNKNOWN = 'the outcome is unknown: check it, then repeat the request';

let world: OperatorWorld;
let isKilled: boolean;

const serve = async (rules: ApprovalRules): Promise<void> => {
  const fourEyes = world.fourEyes({ approvals: rules }, () => isKilled);
  await world.serve(
    [
      OperatorFollowUpsController,
      OperatorApprovalsController,
      OperatorController,
      OperatorErasureController,
      OperatorReconciliationController,
    ],
    [
      [FollowUpService, world.followUps],
      [FourEyes, fourEyes],
      [OperatorLists, {}],
      [OperatorService, world.operatorService],
      [ErasureService, world.erasures],
      [RetentionPreviews, {}],
      [ReconciliationService, world.reconciliation],
      [GateInquiries, {}],
      [QueryAudit, new QueryAudit(world.audit, world.vault)],
    ],
  );
};

beforeEach(async () => {
  isKilled = false;
  world = await OperatorWorld.open();
  for (const name of ['kim', 'ann', 'eve']) world.operator(name, 'operator');
  world.operator('ian', 'investigator');
  world.operator('lim', 'operator', ['other']);
  world.operator('boss', 'admin');
  world.operator('chief', 'admin');
});
afterEach(() => world.close());

const refund = (name: string, more: object = {}): Promise<Asked> =>
  world.ask(name, `/orders/${ORDER.orderId}/returns`, { reason: REASON, key: KEY, ...more });
const idOf = ({ body }: Asked): string => (body['approval'] as { readonly approvalId: string }).approvalId;
const statusOf = ({ body }: Asked): unknown => (body['approval'] as { readonly status: string } | undefined)?.status;
const decide = (name: string, id: string, what: 'approving' | 'rejecting' | 'execution', message: object = AGREED): Promise<Asked> =>
  world.ask(name, `/approvals/${id}/${what}`, message);
const returns = async () => (await world.events(STREAM)).filter((event) => isEventOf(event, 'follow-up'));
const typesOf = async (id: string) => (await world.events(approvalStream(id))).map(({ type }) => type);

describe('a return from the configured amount', () => {
  beforeEach(async () => {
    await world.approvedOrder();
    await serve(FROM_4);
  });

  it('is executed at once below the amount', async () => {
    expect(await refund('kim', { amount: '3.99' })).toMatchObject({ status: 200, body: { followUp: { amount: '3.99' } } });
  });

  it('counts earlier returns of the order, so that parts do not pass below the amount', async () => {
    await refund('kim', { amount: '3.00' });
    expect(await refund('kim', { amount: '1.00', key: 'ticket-4712' })).toMatchObject({
      status: 202,
      body: { approval: { amount: '1.00' } },
    });
    expect(await returns()).toHaveLength(1);
  });

  it('makes a proposal with its effect and a sealed reason, and moves nothing', async () => {
    const answer = await refund('kim');
    const approval = {
      action: 'return-order',
      target: ORDER.orderId,
      merchant: 'acme',
      amount: '10.42',
      currency: 'USD',
      status: 'waiting',
      proposer: 'operator:kim',
    };
    expect(answer).toMatchObject({ status: 202, body: { approval } });
    const [proposed] = await world.events(approvalStream(idOf(answer)));
    expect(proposed).toMatchObject({ type: 'ActionProposed', by: 'operator:kim', data: { orderRevision: 3n } });
    const { reason } = proposed?.data as { readonly reason: Sealed };
    await expect(world.vault.unseal(ORDER.merchant, APPROVAL_REASON, reason)).resolves.toBe(REASON);
    expect(JSON.stringify(answer.body)).not.toContain(REASON);
    expect(await returns()).toStrictEqual([]);
    expect(await world.ask('ian', `/approvals/${idOf(answer)}`)).toMatchObject({ status: 200, body: approval });
  });

  it('makes one proposal for a repeated request, and none for the key with another amount', async () => {
    const first = await refund('kim', { amount: '5.00' });
    expect(await refund('kim', { amount: '5.00' })).toStrictEqual(first);
    for (const other of [{ amount: '6.00' }, { amount: '5.00', currency: 'EUR' }])
      expect(await refund('kim', other)).toMatchObject({ status: 409, body: { code: 7 } });
    const together = await Promise.all([1, 2, 3].map(() => refund('kim', { amount: '7.00', key: 'ticket-4712' })));
    expect(new Set(together.map(idOf)).size).toBe(1);
    expect(await typesOf(idOf(first))).toStrictEqual(['ActionProposed']);
  });

  it('makes one proposal for two amounts at once under one key, and refuses the other', async () => {
    const answers = await Promise.all(['6.00', '7.00'].map((amount) => refund('kim', { amount })));
    expect(answers.map(({ status }) => status).sort()).toStrictEqual([202, 409]);
  });

  it('is executed once after the approval of another person, with the proposal as its cause', async () => {
    const id = idOf(await refund('kim', { amount: '5.00' }));
    const approved = await decide('ann', id, 'approving');
    expect([approved.status, statusOf(approved)]).toStrictEqual([202, 'done']);
    expect(await returns()).toMatchObject([{ by: 'operator:ann', cause: causeOf(id), data: { amount: { minor: 500n } } }]);
    expect(await typesOf(id)).toStrictEqual(['ActionProposed', 'ActionApproved', 'ApprovedActionEnded']);
    // The approver and the proposer repeat their requests after lost answers.
    expect(await decide('ann', id, 'approving')).toStrictEqual(approved);
    expect(await refund('kim', { amount: '5.00' })).toMatchObject({ status: 202, body: { approval: { status: 'done' } } });
    expect(await decide('ann', id, 'execution', {})).toStrictEqual({ status: 409, body: { error: 'not-approved' } });
    expect(await returns()).toHaveLength(1);
  });

  it('records proposal, approval and action in the audit before they run', async () => {
    await decide('ann', idOf(await refund('kim')), 'approving');
    const begun = (await world.events()).filter(({ type }) => type === 'OperatorActionBegun');
    expect(begun.map(({ by, data }) => [by, (data as { readonly action: string }).action])).toStrictEqual([
      ['operator:kim', 'propose-action'],
      ['operator:ann', 'approve-action'],
      ['operator:ann', 'return-order'],
    ]);
  });

  it('is not approved by its proposer, by a lower role or by an operator of other merchants', async () => {
    const id = idOf(await refund('kim'));
    expect(await decide('kim', id, 'approving')).toStrictEqual({ status: 403, body: { error: 'another person must approve it' } });
    expect((await decide('ian', id, 'approving')).status).toBe(403);
    for (const what of ['approving', 'rejecting', 'execution'] as const)
      expect(await decide('lim', id, what, what === 'execution' ? {} : AGREED)).toStrictEqual({
        status: 404,
        body: { error: 'unknown-approval' },
      });
    expect(await world.ask('lim', `/approvals/${id}`)).toStrictEqual({ status: 404, body: { error: 'unknown-approval' } });
    expect(await world.ask('kim', '/approvals/4444333322221111')).toMatchObject({ status: 404 });
    expect(await typesOf(id)).toStrictEqual(['ActionProposed']);
    expect(await returns()).toStrictEqual([]);
  });

  it('is approved by one of two people at once, and executed once', async () => {
    const id = idOf(await refund('kim'));
    const answers = await Promise.all([decide('ann', id, 'approving'), decide('eve', id, 'approving')]);
    expect(answers.map(({ status }) => status).sort()).toStrictEqual([202, 409]);
    expect((await typesOf(id)).filter((type) => type === 'ActionApproved')).toHaveLength(1);
    expect(await returns()).toHaveLength(1);
  });

  it('is decided once if one person approves and another rejects at once', async () => {
    const id = idOf(await refund('kim'));
    await Promise.all([decide('ann', id, 'approving'), decide('eve', id, 'rejecting')]);
    const types = await typesOf(id);
    expect(types.filter((type) => type === 'ActionApproved' || type === 'ProposalRejected')).toHaveLength(1);
    expect(await returns()).toHaveLength(types.includes('ActionApproved') ? 1 : 0);
  });

  it('is invalidated by another event of the order', async () => {
    const id = idOf(await refund('kim', { amount: '5.00' }));
    await refund('eve', { amount: '1.00', key: 'ticket-4712' });
    expect(await decide('ann', id, 'approving')).toStrictEqual({ status: 409, body: { error: 'the proposal is invalidated' } });
    expect(await decide('ann', id, 'approving')).toStrictEqual({ status: 409, body: { error: 'decided-before' } });
    expect(await returns()).toHaveLength(1);
  });

  it('expires at its last instant', async () => {
    const [first, second] = [idOf(await refund('kim')), idOf(await refund('kim', { key: 'ticket-4712' }))];
    await world.clock.advance(PROPOSAL_TERM_MS - 1);
    expect(statusOf(await decide('ann', first, 'approving'))).toBe('done');
    await world.clock.advance(1);
    expect(await world.ask('kim', `/approvals/${second}`)).toMatchObject({ body: { status: 'expired' } });
    expect(await decide('ann', second, 'approving')).toStrictEqual({ status: 409, body: { error: 'the proposal is expired' } });
    expect(await returns()).toHaveLength(1);
  });

  it('is rejected with a reason by another person, and withdrawn by its proposer', async () => {
    for (const [name, key] of [
      ['ann', 'ticket-0001'],
      ['kim', 'ticket-0002'],
    ] as const) {
      const id = idOf(await refund('kim', { key }));
      expect((await decide(name, id, 'rejecting', {})).status).toBe(400);
      expect(await decide(name, id, 'rejecting')).toMatchObject({
        status: 200,
        body: { approval: { status: 'rejected', decider: `operator:${name}` } },
      });
      expect(await decide('eve', id, 'approving')).toStrictEqual({ status: 409, body: { error: 'decided-before' } });
      expect(await refund('kim', { key })).toStrictEqual({ status: 409, body: { error: 'the proposal is rejected' } });
    }
    expect(await returns()).toStrictEqual([]);
  });

  it('is refused without a record if the identifier is not valid', async () => {
    const answer = await world.ask('kim', '/orders/4444333322221111/returns', { reason: REASON, key: KEY });
    expect(answer).toStrictEqual({ status: 404, body: { error: 'unknown-order' } });
    expect(await world.events()).toStrictEqual([]);
  });

  it('is refused without a proposal if the order has less', async () => {
    expect(await refund('kim', { amount: '10.43' })).toStrictEqual({ status: 409, body: { error: 'Amount out of range', code: 9 } });
    const begun = (await world.events()).map(({ type, data }) => [type, (data as { readonly outcome?: string }).outcome]);
    expect(begun).toStrictEqual([['OperatorActionBegun', undefined], ['OperatorActionEnded', 'refused']]); // prettier-ignore
  });

  describe('whose process ends between approval and action', () => {
    let id: string;
    beforeEach(async () => {
      id = idOf(await refund('kim', { amount: '5.00' }));
      isKilled = true;
      expect(await decide('ann', id, 'approving')).toStrictEqual({ status: 504, body: { error: UNKNOWN } });
      isKilled = false;
      expect(await world.ask('kim', `/approvals/${id}`)).toMatchObject({ body: { status: 'approved' } });
      expect(await returns()).toStrictEqual([]);
    });

    it.each([
      ['the approver repeats the approval', 'ann', 'approving', AGREED],
      ['somebody executes it', 'eve', 'execution', {}],
    ] as const)('is executed once when %s', async (_how, name, what, message) => {
      const answers = await Promise.all([1, 2, 3].map(() => decide(name, id, what, message)));
      expect(answers.map(({ status }) => status)).toContain(202);
      expect(await returns()).toMatchObject([{ cause: causeOf(id), data: { amount: { minor: 500n } } }]);
      expect(await typesOf(id)).toStrictEqual(['ActionProposed', 'ActionApproved', 'ApprovedActionEnded']);
    });

    it('is refused if the order changed since', async () => {
      await refund('eve', { amount: '1.00', key: 'ticket-4712' });
      expect(await decide('ann', id, 'approving')).toStrictEqual({ status: 409, body: { error: 'the proposal is refused: order-moved' } });
      expect(await returns()).toHaveLength(1);
    });
  });

  describe('by an admin alone', () => {
    it('is executed at once, with the proposal on record and an action that raises an alarm', async () => {
      const answer = await refund('boss', { alone: true });
      expect(answer).toMatchObject({ status: 202, body: { approval: { status: 'done', isAlone: true, decider: 'operator:boss' } } });
      expect(await returns()).toMatchObject([{ by: 'operator:boss', cause: causeOf(idOf(answer)) }]);
      expect((await world.events())[0]).toMatchObject({ data: { action: 'act-alone', target: ORDER.orderId } });
      expect(await refund('boss', { alone: true })).toStrictEqual(answer);
      expect(await returns()).toHaveLength(1);
    });

    it('approves its own proposal only with the flag and a reason', async () => {
      const id = idOf(await refund('boss'));
      expect((await decide('boss', id, 'approving')).status).toBe(403);
      expect((await decide('boss', id, 'approving', { alone: true })).status).toBe(400);
      expect(statusOf(await decide('boss', id, 'approving', { ...AGREED, alone: true }))).toBe('done');
    });

    it('is refused to an operator', async () => {
      const answer = { status: 403, body: { error: 'only an admin may act alone' } };
      expect(await refund('kim', { alone: true })).toStrictEqual(answer);
      expect(await decide('ann', idOf(await refund('kim')), 'approving', { ...AGREED, alone: true })).toStrictEqual(answer);
      expect(await returns()).toStrictEqual([]);
    });
  });
});

describe('the resolution of an unknown outcome under approval', () => {
  const resolve = (name: string): Promise<Asked> =>
    world.ask(name, `/orders/${ORDER.orderId}/resolution`, { as: 'declined', reason: REASON });

  beforeEach(async () => {
    await world.append({ type: 'OrderAccepted', data: ORDER }, attemptEvents.started(), attemptEvents.unknown());
    await world.clock.advance(3_600_000);
    await serve(FROM_4);
  });

  it('is recorded with the proposal as its cause, and once if its end was not recorded', async () => {
    const proposed = await resolve('kim');
    expect(proposed).toMatchObject({ status: 202, body: { approval: { action: 'settle-unknown', to: 'declined', amount: '10.42' } } });
    expect(statusOf(await decide('ann', idOf(proposed), 'approving'))).toBe('done');
    const settled = (await world.events(STREAM)).filter(({ type }) => type === 'AttemptSettled');
    expect(settled).toMatchObject([{ by: 'operator:ann', cause: causeOf(idOf(proposed)), data: { as: 'declined' } }]);
    expect(await resolve('kim')).toStrictEqual({ status: 409, body: { error: 'nothing-to-resolve' } });
  });

  it('is invalidated by the gate’s answer', async () => {
    const id = idOf(await resolve('kim'));
    await world.append(attemptEvents.approved());
    expect(await decide('ann', id, 'approving')).toStrictEqual({ status: 409, body: { error: 'the proposal is invalidated' } });
    expect((await world.events(STREAM)).map(({ type }) => type)).not.toContain('AttemptSettled');
  });
});

describe('the release of a legal hold under approval', () => {
  const hold = (path: string, name: string): Promise<Asked> => world.ask(name, `/orders/${ORDER.orderId}/${path}`, { reason: REASON });

  beforeEach(async () => {
    await world.approvedOrder();
    await serve(FROM_4);
    await hold('hold', 'kim');
  });

  it('needs two people with the role of the action', async () => {
    const id = idOf(await hold('hold/release', 'boss'));
    expect(await decide('ann', id, 'approving')).toStrictEqual({
      status: 403,
      body: { error: 'a decision on release-hold needs the role admin' },
    });
    expect(statusOf(await decide('chief', id, 'approving'))).toBe('done');
    expect((await world.events(erasureStream(STREAM))).at(-1)).toMatchObject({ type: 'LegalHoldReleased', cause: causeOf(id) });
  });

  it('is refused if the hold was released in between, and recorded as such', async () => {
    const [first, second] = [idOf(await hold('hold/release', 'boss')), idOf(await hold('hold/release', 'boss'))];
    await decide('chief', first, 'approving');
    expect(await decide('chief', second, 'approving')).toStrictEqual({ status: 409, body: { error: 'the proposal is refused: not-held' } });
  });

  it('does not release a hold that was placed after the proposal', async () => {
    const [first, second] = [idOf(await hold('hold/release', 'boss')), idOf(await hold('hold/release', 'boss'))];
    await decide('chief', first, 'approving');
    await hold('hold', 'kim');
    expect(await decide('chief', second, 'approving')).toStrictEqual({
      status: 409,
      body: { error: 'the proposal is refused: order-moved' },
    });
    expect((await world.events(erasureStream(STREAM))).at(-1)).toMatchObject({ type: 'LegalHoldPlaced' });
  });
});

describe('an irreversible action under approval', () => {
  const CARD_REFERENCE = 'p658a47wgsfirs4rvrfc' as CardRefId;
  const reference = cardReferenceStream(ORDER.merchant, CARD_REFERENCE);
  let caseId: string;

  beforeEach(async () => {
    await world.approvedOrder();
    await serve({ ...FROM_4, applyCase: { from: [] }, eraseOrder: { from: [] } });
    const { merchant, orderId, clientOrderId, endpointId, card } = ORDER;
    const issued = { cardRefId: CARD_REFERENCE, use: 'source', merchant, orderKind: 'payment', orderId, clientOrderId, endpointId, card, issuedAt: START } as const; // prettier-ignore
    const envelope = { correlation: 's', causation: 's', actor: 'acme', merchant, commandId: 'c', recordedAt: START };
    const event = { type: 'CardReferenceIssued', data: { ...issued, customer: 'sealed' as Sealed } } as const;
    await world.log.append(reference, 'no_stream', cardRegistrationCodec.encode([event], reference, 'no_stream', envelope));
    const { attemptKey: key } = attemptEvents.started().data;
    const differences = [{ field: 'status', ours: 'approved', theirs: 'declined' }];
    const found = { kind: 'different', original: key, key, operation: 'sale', differences, told: { status: 'declined' } };
    const cases = [{ ...found, order: { orderId, merchant } }];
    const opened = await world.ask('boss', '/reconciliation/cases', { gate: 'sim-a', source: 'file', cases });
    caseId = (opened.body['cases'] as readonly { readonly caseId: string }[])[0]?.caseId ?? '';
  });

  const erased = async () => (await world.events(erasureStream(STREAM))).filter(({ type }) => type === 'ErasureRequested');
  const reconciled = async () => (await world.events(STREAM)).filter(({ type }) => type === 'OutcomeReconciled');
  const ACTIONS = [
    ['apply-case', () => `/reconciliation/cases/${caseId}/application`, reconciled, []],
    ['erase-order', () => `/orders/${ORDER.orderId}/erasure`, erased, [ORDER.card.handle, 'text-key']],
    ['erase-card', () => `/card-references/${CARD_REFERENCE}/erasure`, erased, [ORDER.card.handle]],
  ] as const;

  describe.each(ACTIONS)('%s', (action, path, effects, destroyed) => {
    const propose = async (): Promise<string> => {
      const answer = await world.ask('boss', path(), { reason: REASON });
      expect(answer).toMatchObject({ status: 202, body: { approval: { action, merchant: 'acme', status: 'waiting' } } });
      expect([await effects(), world.destroyed]).toStrictEqual([[], []]);
      return idOf(answer);
    };

    it('is executed once after the approval of another admin, with the proposal as its cause, however often it is repeated', async () => {
      const id = await propose();
      expect((await decide('ann', id, 'approving')).status).toBe(403);
      const approved = await decide('chief', id, 'approving');
      expect([approved.status, statusOf(approved)]).toStrictEqual([202, 'done']);
      expect(await decide('chief', id, 'approving')).toStrictEqual(approved);
      expect((await decide('boss', id, 'execution', {})).status).toBe(409);
      expect(await effects()).toMatchObject([{ by: 'operator:chief', cause: causeOf(id) }]);
      expect(world.destroyed).toStrictEqual(destroyed);
    });

    it('is executed once if the process ends between approval and action', async () => {
      const id = await propose();
      isKilled = true;
      expect((await decide('chief', id, 'approving')).status).toBe(504);
      isKilled = false;
      expect(await effects()).toStrictEqual([]);
      await Promise.all([1, 2].map(() => decide('chief', id, 'execution', {})));
      expect(statusOf(await decide('chief', id, 'approving'))).toBe('done');
      expect(await effects()).toHaveLength(1);
    });

    it('is invalidated by another event of the order', async () => {
      const id = await propose();
      expect((await refund('kim', { amount: '1.00' })).status).toBe(200);
      expect(await decide('chief', id, 'approving')).toStrictEqual({ status: 409, body: { error: 'the proposal is invalidated' } });
      expect([await effects(), world.destroyed]).toStrictEqual([[], []]);
    });
  });
});

it('returns 503 and approves nothing if the decision cannot be recorded', async () => {
  await world.approvedOrder();
  await serve(FROM_4);
  const id = idOf(await refund('kim'));
  const append = world.log.append.bind(world.log);
  jest
    .spyOn(world.log, 'append')
    .mockImplementation((stream, ...rest) =>
      stream.startsWith('approval-') ? Promise.reject(new StoreUnavailable('away')) : append(stream, ...rest),
    );
  expect((await decide('ann', id, 'approving')).status).toBe(503);
  expect(await returns()).toStrictEqual([]);
});
