import {
  afterAcceptance,
  attemptEvents,
  finalEvents,
  OTHER_KEY,
  sampleGate,
  sampleOrder,
  samplePlan,
  sampleReceipt,
  STARTED_AT,
} from '@app/testing';
import { attempts } from './attempts';
import { NO_DISPUTES } from './dispute.events';
import { followedOrder } from './followed-order';
import { evolveProcessing, processingOf, type ProcessingEvent } from './processing';

const fold = (...events: readonly ProcessingEvent[]) => events.reduce(evolveProcessing, processingOf(sampleOrder()));
const { started, approved } = attemptEvents;

describe('followedOrder', () => {
  it('returns the gate’s time of approval, which determines clearing', () => {
    const processedAt = afterAcceptance(123);
    const order = fold(started(), approved({ receipt: sampleReceipt({ processedAt }) }), finalEvents.approved());
    expect(followedOrder(order)).toMatchObject({ kind: 'sale', approvedAt: processedAt });
  });

  it('returns the start of the attempt if the gate gave no time', () => {
    const open = attempts.evolve(attempts.initial, started());
    const order = { plan: samplePlan(), attempts: open, end: finalEvents.approved(), disputes: NO_DISPUTES };
    expect(followedOrder(order)).toMatchObject({ kind: 'sale', approvedAt: STARTED_AT });
  });

  it('throws if the state contradicts itself', () => {
    const order = fold(started(), approved(), finalEvents.approved());
    const another = finalEvents.approved({ attemptKey: OTHER_KEY });
    expect(() => followedOrder({ ...order, end: another })).toThrow('another attempt than its newest');
    expect(() => followedOrder({ ...order, attempts: attempts.initial })).toThrow('another attempt than its newest');
    const plan = samplePlan({ gates: [sampleGate({ alias: 'sim-x' as never })] });
    expect(() => followedOrder({ ...order, plan })).toThrow('the plan has no gate sim-a');
  });
});
