import {
  attemptEvents,
  deciderSpec,
  finalEvents,
  OTHER_KEY,
  processingCommands,
  routingEvents,
  RULES_VERSION,
  sampleGate,
  sampleOrder,
  samplePlan,
  STARTED_AT,
} from '@app/testing';
import type { GateAlias } from '@app/kernel';
import { decideProcessing, evolveProcessing, processingOf } from './processing';

const gates = [sampleGate(), sampleGate({ alias: 'sim-b' as GateAlias })] as const;
const orderWith = (screening?: string) =>
  deciderSpec({
    initial: processingOf(sampleOrder({ plan: samplePlan({ gates, ...(screening !== undefined && { screening }) }) })),
    evolve: evolveProcessing,
    decide: decideProcessing,
  }).given;
const { start } = processingCommands;
const { started, notAsked } = attemptEvents;
const { screened, nextChosen } = routingEvents;
const given = orderWith(RULES_VERSION);

describe('an order at an entry point with screening rules', () => {
  it('starts with the screening result in the same append', () => {
    given()
      .when({ ...start(), screened: screened().data })
      .then(screened(), started());
    given(screened(), started())
      .when({ ...start(), screened: screened().data })
      .thenRejected({ reason: 'attempt-open' });
  });

  it('ends filtered, code 120, without an attempt where a rule was broken', () => {
    const broken = screened({ brokenRule: 'per-card', cardCount: 3 });
    const end = finalEvents.filtered({ filteredAt: STARTED_AT });
    given()
      .when({ ...start(), screened: broken.data })
      .then(broken, end);
    given(broken, end)
      .when({ ...start(), screened: broken.data })
      .thenRejected({ reason: 'order-final' });
  });

  it('does not start unscreened, nor screened by other rules than its plan names', () => {
    given().when(start()).thenRejected({ reason: 'not-screened' });
    given()
      .when({ ...start(), screened: screened({ rulesVersion: 'other' }).data })
      .thenRejected({ reason: 'not-screened' });
  });

  it('is screened once: the next attempt of its plan starts without', () => {
    const next = start({ key: OTHER_KEY, gate: 'sim-b' as GateAlias });
    given(screened(), started(), notAsked(), nextChosen())
      .when(next)
      .then(started({ attemptKey: OTHER_KEY, number: 2, gate: 'sim-b' as GateAlias }));
  });
});

it('an order at an entry point without rules is not screened', () => {
  orderWith()().when(start()).then(started());
  orderWith()()
    .when({ ...start(), screened: screened().data })
    .then(started());
});
