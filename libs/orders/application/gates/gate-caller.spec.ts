import type { GateAlias, MerchantLogin } from '@app/kernel';
import type { CallLimit, InquiryAnswer } from '@app/gateway-adapters/contract';
import type { StreamName } from '@app/event-store';
import { ATTEMPT_KEY, settle, VirtualClock } from '@app/testing';
import { GATE_TIMEOUT_MS, type OrderInProgress } from '../../domain';
import { InFlightCalls } from './in-flight-calls';
import { GateCaller, type GateCallerPorts, type KeyedInquiry } from './gate-caller';

const about: KeyedInquiry = {
  task: 'inquire',
  stream: 'payment-x' as StreamName,
  orderId: '1',
  merchant: 'acme' as MerchantLogin,
  gate: 'sim-a' as GateAlias,
  serial: '00000000-0000-0000-0000-000000000001',
  key: ATTEMPT_KEY,
};

/** @returns the late answers reported for an inquiry with this answer past its timeout */
const reportedFor = async (answer: InquiryAnswer): Promise<readonly string[]> => {
  const clock = new VirtualClock();
  const reported: string[] = [];
  const caller = new GateCaller({
    clock,
    scheduler: clock,
    underWay: new InFlightCalls(clock, clock, false),
    onAdapterError: (error) => expect(error).toBeUndefined(),
    onLateAnswer: (_call, kind) => reported.push(kind),
  } as Partial<GateCallerPorts> as GateCallerPorts);
  const cutOff = ({ signal }: CallLimit): Promise<InquiryAnswer> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve(answer)));
  const asked = caller.inquire({ plan: { payerMs: 0 } } as OrderInProgress, about, { call: cutOff, recordLate: () => Promise.resolve() });
  await clock.advance(GATE_TIMEOUT_MS);
  expect(await asked).toStrictEqual({ kind: 'unknown', cause: 'timeout' });
  await settle();
  return reported;
};

it.each<InquiryAnswer>([{ kind: 'unknown', cause: 'timeout' }, { kind: 'not-found' }])(
  'does not report a late answer without an outcome: $kind',
  async (answer) => expect(await reportedFor(answer)).toStrictEqual([]),
);

it('reports a late answer that was recorded', async () => {
  expect(await reportedFor({ kind: 'declined', code: 100, transactionId: 'tx-1' } as InquiryAnswer)).toStrictEqual(['declined']);
});
