import { timeEnough, timeEnoughFor, timeOver } from '../call-limit';
import type {
  ChargeAnswer,
  ChargeRequest,
  FollowUpAnswer,
  FollowUpRequest,
  Gate,
  InquiryAnswer,
  SentFollowUp,
  SentRequest,
} from '@app/gateway-adapters/contract';
import type { AttemptKey } from '@app/kernel';
import { expectApproved, expectDeclined, inquiryAt, neverReceived } from './expected-gate-answers';
import type { GateOperation, GateTraits, GateUnderContract } from './gate-under-contract';

const SAME_TIME = 5;
const UNKNOWN_KEY = '00000000-0000-4000-8000-000000000000' as AttemptKey;

/** The contract calls a return a refund. */
const OPERATIONS = { capture: 'capture', refund: 'return', void: 'void' } as const;
type Asked = keyof typeof OPERATIONS;

/** Jest rejects an empty table. */
const eachOf = <Row>(rows: readonly Row[]): ((title: string, run: (row: Row) => Promise<void>) => void) =>
  rows.length === 0 ? () => undefined : it.each(rows);
const neverRun = (): void => undefined;

/** Contract of authorisations, verifications and follow-ups (safety, I1b and I12). */
export const itFollowsUp = (worldOf: () => GateUnderContract, traits: GateTraits): void => {
  const { operations, findsFollowUps } = traits;
  const has = (operation: GateOperation): boolean => operations.includes(operation);
  const asks = (['capture', 'refund', 'void'] as const).filter((asked) => has(OPERATIONS[asked]));
  const follow = (asked: Asked, request: FollowUpRequest, gate: Gate = worldOf().gate, limit = timeEnough()): Promise<FollowUpAnswer> => {
    const calls: Readonly<Record<Asked, () => Promise<FollowUpAnswer> | undefined>> = {
      capture: () => gate.capturing?.capture(request, limit),
      refund: () => gate.returning?.refund(request, limit),
      void: () => gate.voiding?.void(request, limit),
    };
    return calls[asked]() ?? Promise.reject(new Error(`the gate cannot ${OPERATIONS[asked]}`));
  };
  const inquire = (sent: SentRequest, gate: Gate = worldOf().gate): Promise<InquiryAnswer> => inquiryAt(gate, sent);
  const sentAs = (asked: Asked, request: FollowUpRequest): SentFollowUp => ({
    ...request,
    operation: OPERATIONS[asked],
  });
  const learn = async (asked: Asked, request: FollowUpRequest): Promise<InquiryAnswer> => {
    const other = await worldOf().inAnotherProcess();
    if (findsFollowUps) return inquire(sentAs(asked, request), other);
    if (other.repeating === undefined) throw new Error('the gate neither finds follow-ups nor repeats them');
    return other.repeating.repeat(sentAs(asked, request), timeEnough());
  };
  const expectUnheardOf = async (asked: Asked, request: FollowUpRequest): Promise<void> =>
    expect((await inquire(sentAs(asked, request))).kind).toBe(findsFollowUps ? 'not-found' : 'unknown');
  const ask = (operation: 'charge' | 'authorise' | 'verify', request: ChargeRequest): Promise<ChargeAnswer> => {
    const { charging, authorising, verifying } = worldOf().gate;
    const calls: Readonly<Record<typeof operation, () => Promise<ChargeAnswer> | undefined>> = {
      charge: () => charging?.charge(request, timeEnoughFor(request)),
      authorise: () => authorising?.authorise(request, timeEnoughFor(request)),
      verify: () => verifying?.verify(request, timeEnoughFor(request)),
    };
    return calls[operation]() ?? Promise.reject(new Error(`the gate cannot ${operation}`));
  };
  const approved = async (operation: 'charge' | 'authorise'): Promise<ChargeRequest> => {
    const request = worldOf().request('approved');
    expectApproved(await ask(operation, request));
    return request;
  };
  const itWhere = (operation: GateOperation) => (has(operation) ? it : neverRun);
  const inFull = (original: ChargeRequest): FollowUpRequest => ({ ...worldOf().followUp(original, 'approved'), amount: original.amount });

  eachOf((['authorise', 'verify'] as const).filter(has))('answers an inquiry as it answered the request: %s', async (operation) => {
    const sent = ({ amount, ...rest }: ChargeRequest): SentRequest => (operation === 'verify' ? rest : { ...rest, amount });
    const yes = worldOf().request('approved');
    const answer = expectApproved(await ask(operation, yes));
    expect(await inquire(sent(yes))).toEqual(answer);
    expect(await ask(operation, yes)).toEqual(answer);
    expect(worldOf().approvedCharges(yes.orderId)).toBe(1);
    const no = worldOf().request('declined');
    expect(await inquire(sent(no))).toEqual(neverReceived(traits));
    const refusal = expectDeclined(await ask(operation, no));
    expect(await inquire(sent(no))).toEqual(refusal);
  });

  const outcomes = [
    { asked: 'capture', operation: 'authorise' },
    { asked: 'refund', operation: 'charge' },
    { asked: 'refund', operation: 'authorise' },
  ] as const;
  eachOf(outcomes.filter(({ asked, operation }) => asks.includes(asked) && (operation === 'charge' || has(operation))))(
    '$asked of what was approved ($operation) has an outcome that an inquiry of another process reports too',
    async ({ asked, operation }) => {
      const original = await approved(operation);
      const yes = worldOf().followUp(original, 'approved');
      const answer = expectApproved(await follow(asked, yes));
      expect(await inquire(sentAs(asked, yes))).toEqual(answer);
      expect(await learn(asked, yes)).toEqual(answer);
      const { captured, returned } = worldOf().moved(original.orderId);
      expect(asked === 'capture' ? captured : returned).toBe(yes.amount.minor);
      const next = await approved(operation);
      const no = worldOf().followUp(next, 'declined');
      await expectUnheardOf(asked, no);
      const refusal = expectDeclined(await follow(asked, no));
      expect(await inquire(sentAs(asked, no))).toEqual(refusal);
      expect(worldOf().moved(next.orderId)).toEqual({ captured: 0n, returned: 0n, isVoided: false });
    },
  );

  itWhere('return')('reports an unknown outcome of a follow-up later, and does not change it', async () => {
    const original = await approved('charge');
    const request = worldOf().followUp(original, 'unknown');
    expect((await follow('refund', request)).kind).toBe('unknown');
    await worldOf().settle();
    const settled = await inquire(sentAs('refund', request));
    expect(['approved', 'declined']).toContain(settled.kind);
    await worldOf().settle();
    expect(await inquire(sentAs('refund', request))).toEqual(settled);
    expect(worldOf().moved(original.orderId).returned).toBe(settled.kind === 'approved' ? request.amount.minor : 0n);
  });

  itWhere('return')('moves money once under one key, also for requests at the same time', async () => {
    const original = await approved('charge');
    const request = worldOf().followUp(original, 'approved');
    const answers = await Promise.all(Array.from({ length: SAME_TIME }, () => follow('refund', request)));
    for (const answer of answers) expect(answer).toEqual(expectApproved(answers[0] ?? answer));
    expect(worldOf().moved(original.orderId).returned).toBe(request.amount.minor);
  });

  eachOf(asks)('moves nothing once the time of the call is over: %s', async (asked) => {
    const original = await approved(asked === 'capture' ? 'authorise' : 'charge');
    const request = inFull(original);
    const answer = await follow(asked, request, worldOf().gate, timeOver());
    expect(['unknown', 'not-asked']).toContain(answer.kind);
    await worldOf().settle();
    await expectUnheardOf(asked, request);
    expect(worldOf().moved(original.orderId)).toEqual({ captured: 0n, returned: 0n, isVoided: false });
  });

  itWhere('capture')('captures an authorisation once', async () => {
    const original = await approved('authorise');
    const first = worldOf().followUp(original, 'approved');
    expectApproved(await follow('capture', first));
    expect((await follow('capture', worldOf().followUp(original, 'approved'))).kind).not.toBe('approved');
    expect(worldOf().moved(original.orderId).captured).toBe(first.amount.minor);
  });

  itWhere('return')('never returns more than was captured', async () => {
    const original = await approved('charge');
    const part = worldOf().followUp(original, 'approved');
    expectApproved(await follow('refund', part));
    expect((await follow('refund', inFull(original))).kind).not.toBe('approved');
    expect(worldOf().moved(original.orderId).returned).toBe(part.amount.minor);
  });

  itWhere('void')('voids what was not yet cleared, and then refuses a return', async () => {
    const original = worldOf().request('approved');
    const { processedAt } = expectApproved(await ask('charge', original));
    expect(worldOf().gate.voiding?.voidableUntil(processedAt)).toBeGreaterThan(processedAt);
    const request = inFull(original);
    const answer = expectApproved(await follow('void', request));
    expect(await inquire(sentAs('void', request))).toEqual(answer);
    if (has('return')) expect((await follow('refund', worldOf().followUp(original, 'approved'))).kind).not.toBe('approved');
    expect(worldOf().moved(original.orderId)).toEqual({ captured: 0n, returned: 0n, isVoided: true });
  });

  eachOf(asks)('refuses a follow-up of a transaction that it does not know: %s', async (asked) => {
    const original = await approved(asked === 'capture' ? 'authorise' : 'charge');
    const request = { ...inFull(original), original: UNKNOWN_KEY };
    expect((await follow(asked, request)).kind).not.toBe('approved');
    expect(worldOf().moved(original.orderId)).toEqual({ captured: 0n, returned: 0n, isVoided: false });
  });
};
