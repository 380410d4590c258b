import type { OperatorRequestName } from '@app/investigation';
import { ref } from './documented-operation';
import { closed, listOf, TEXT } from './operator.schemas';
import { answer, refused, UNREADABLE, ACTION, named, bodyOf, type Asked } from './operator-answers';

const CASE_ID = named('caseId', 'As the list of cases has it.');

export const ASKED_OF_RECONCILIATION = {
  'list-cases': {
    id: 'reconciliationCases',
    summary: 'Differences between the log and what gates settled, the oldest first; that it was asked is on record',
    parameters: [
      { name: 'gate', in: 'query', required: false, description: 'Of this gate alone.', schema: TEXT },
      {
        name: 'all',
        in: 'query',
        required: false,
        description: '`true` for the closed ones too.',
        schema: { type: 'string', enum: ['true', 'false'] },
      },
    ],
    responses: { 200: answer('At most 1,000', closed({ cases: listOf(ref('Case')) })), ...UNREADABLE },
  },
  'open-cases': {
    id: 'openReconciliationCases',
    summary: 'Open a case for each difference that a comparison found; the same difference again finds its case',
    body: bodyOf('OpenCases', {
      gate: 'sim-primary',
      source: 'file',
      cases: [{ kind: 'missing-here', original: '6f1f7a2e-8f0a-4c55-9a43-6a5a5b0f8f6e', operation: 'sale', differences: [] }],
    }),
    responses: {
      200: answer('In the order of the request', closed({ cases: listOf(closed({ caseId: TEXT, isNew: { type: 'boolean' } })) })),
      ...ACTION,
    },
  },
  'close-case': {
    id: 'closeReconciliationCase',
    summary: 'Close a case and change nothing',
    parameters: [CASE_ID],
    body: bodyOf('CloseCase', { reason: 'The acquirer corrected its file' }),
    responses: { 200: answer('It is closed', closed({ caseId: TEXT })), ...ACTION, 409: refused('It was closed before') },
  },
  'apply-case': {
    id: 'applyReconciliationCase',
    summary: 'Change the final status of the order to what the gate settled, and close the case',
    parameters: [CASE_ID],
    body: bodyOf('ApplyCase', { reason: 'The acquirer took the money, by its statement' }),
    responses: {
      200: answer(
        'It is applied',
        closed({
          caseId: TEXT,
          to: { type: 'string', enum: ['approved', 'declined'] },
          effect: { type: 'string', enum: ['reconciled', 'resolved', 'held-already'] },
        }),
      ),
      ...ACTION,
      409: refused('It was closed before, says nothing of a status, or the order’s other money contradicts it'),
    },
  },
} satisfies Partial<Record<OperatorRequestName, Asked>>;
