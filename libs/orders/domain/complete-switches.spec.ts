import { afterAcceptance, attemptEvents, ATTEMPT_KEY, processingCommands, RECEIPT_ID, sampleOrder } from '@app/testing';
import { attempts } from './attempts';
import type { Attempts } from './attempts.state';
import { nextStep } from './next-step';
import { conclusionOf, evolveProcessing, processingOf } from './processing';

const unheardOf = { type: 'UnheardOf', data: { attemptKey: ATTEMPT_KEY } } as never;
const unheardAnswer = { kind: 'unheard-of' } as never;
const strange = { status: 'unheard-of', key: ATTEMPT_KEY } as unknown as Attempts;
const running = attempts.evolve(attempts.initial, attemptEvents.started());
const order = processingOf(sampleOrder());
const now = afterAcceptance(1);

/** An unknown case can come from a newer program's log or a wrong cast, and folding past it would be a guess about money. */
describe('an unknown case throws', () => {
  it.each([
    ['an event, folded into the attempts', () => attempts.evolve(running, unheardOf)],
    ['an event, folded into the order', () => evolveProcessing(order, unheardOf)],
    ['a command', () => attempts.decide(unheardOf, running)],
    ['an answer', () => attempts.decide(processingCommands.record(unheardAnswer), running)],
    ['a state in which to start', () => attempts.decide(processingCommands.start(), strange)],
    ['a state in which to hear an answer', () => attempts.decide(processingCommands.record(unheardAnswer), strange)],
    ['a state to conclude from', () => conclusionOf({ ...order, attempts: strange }, RECEIPT_ID, now)],
    ['a state to go on from', () => nextStep({ ...order, due: undefined, attempts: strange }, now)],
  ])('%s', (_, ask) => {
    expect(ask).toThrow(/^no case for .*unheard-?of/i);
  });
});
