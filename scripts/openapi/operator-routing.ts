import type { OperatorRequestName } from '@app/investigation';
import { ref } from './documented-operation';
import { closed, listOf } from './operator.schemas';
import { INQUIRED } from './reconciliation.schemas';
import { answer, refused, ADMISSION, NOT_FOUND, ACTION, bodyOf, type Asked } from './operator-answers';

export const ASKED_OF_ROUTING = {
  'list-gates': {
    id: 'gates',
    summary: 'The configured gates, and which of them new orders do without',
    responses: {
      200: answer('As the process that answers sees them: each has its own circuits', closed({ gates: listOf(ref('Gate')) })),
      400: refused('The question cannot be read'),
    },
  },
  'explain-route': {
    id: 'explainRoute',
    summary: 'Which gates an order would try, by which rule of its entry point, and why; nothing is accepted or recorded',
    body: bodyOf('RouteQuestion', { endpoint: '1001', amount: '10.00', bin: '444433' }),
    responses: {
      200: answer('By the rules and the time of now', ref('RouteExplanation')),
      ...ADMISSION,
      ...NOT_FOUND,
      400: refused('A member is missing, misspelt or wrong'),
      409: refused('No such order would be accepted'),
      413: refused('The body is larger than 16 KiB'),
      415: refused('The body is not JSON'),
    },
  },
  'inquire-gate': {
    id: 'inquireGate',
    summary: 'Ask a gate what became of what it was asked in a period, a page at a time; nothing is changed',
    body: bodyOf('Inquiry', { gate: 'sim-primary', from: 1_767_225_600_000, before: 1_767_312_000_000 }),
    responses: { 200: answer('What it says', INQUIRED), ...ACTION, 409: refused('This gate takes no inquiries') },
  },
} satisfies Partial<Record<OperatorRequestName, Asked>>;
