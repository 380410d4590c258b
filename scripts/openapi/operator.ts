import { ApiExcludeController } from '@nestjs/swagger';
import type { OpenAPIObject } from '@nestjs/swagger';
import { bodySchema, type JsonSchema } from '@app/gateway-protocol';
import { OPERATOR_ACTIONS } from '@app/operator-audit';
import { AuditController } from '../../apps/orchestrator/src/operator/audit/audit.controller';
import { EvidenceController } from '../../apps/orchestrator/src/operator/evidence/evidence.controller';
import { EvidenceRequest } from '../../apps/orchestrator/src/operator/evidence/evidence.requests';
import { RevealRequest } from '../../apps/orchestrator/src/operator/audit/trail.requests';
import { DocumentsController } from '../../apps/orchestrator/src/documents/documents.controller';
import { HealthController } from '../../apps/orchestrator/src/health/health.controller';
import { MetricsController } from '../../apps/orchestrator/src/operator/metrics.controller';
import { OperatorPortModule } from '../../apps/orchestrator/src/operator/operator-port.module';
import { LEAST_ROLES, type OperatorRequestName } from '../../apps/orchestrator/src/operator/operator-roles';
import { OperatorFormerPathsController } from '../../apps/orchestrator/src/operator/operator-former-paths.controller';
import { OperatorMethodsController } from '../../apps/orchestrator/src/operator/operator-methods.controller';
import { OperatorDisputesController } from '../../apps/orchestrator/src/operator/operator-disputes.controller';
import { OperatorKeysController } from '../../apps/orchestrator/src/operator/operator-keys.controller';
import { OperatorErasureController } from '../../apps/orchestrator/src/operator/operator-erasure.controller';
import {
  EraseCardRequest,
  EraseOrderRequest,
  FindCustomerRequest,
  HoldRequest,
} from '../../apps/orchestrator/src/operator/erasure.requests';
import { OperatorController } from '../../apps/orchestrator/src/operator/operator.controller';
import { OperatorReconciliationController } from '../../apps/orchestrator/src/operator/operator-reconciliation.controller';
import { OrderHistoryController } from '../../apps/orchestrator/src/operator/order-history.controller';
import { OperatorRoutingController } from '../../apps/orchestrator/src/operator/operator-routing.controller';
import { ReportRequest } from '../../apps/orchestrator/src/operator/report.requests';
import { requestNameOf } from '../../apps/orchestrator/src/operator/operator.guard';
import { ApplyCaseRequest, CloseCaseRequest } from '../../apps/orchestrator/src/operator/reconciliation.requests';
import { ResendRequest, ResolveRequest, RouteQuestionRequest, UnparkRequest } from '../../apps/orchestrator/src/operator/operator.requests';
import {
  CONFIGURATION_IN_FORCE,
  CONFIGURATION_PARAMETERS,
  LIST_BODY,
  LIST_PARAMETERS,
  LISTED_ORDER,
  ORDER_LIST,
  TRAIL,
  TRAIL_ENTRY,
  TRAIL_PARAMETERS,
} from './audit.schemas';
import { Documented, ref, type Documentation, type DocumentedParameter, type DocumentedResponse } from './documented-operation';
import { makeDocument } from './make-document';
import { DIFFERENCE, ORDER_STATE_AS_OF, WHY } from './history.schemas';
import { CASE, CASE_REQUEST, INQUIRED, INQUIRY, OPEN_CASES } from './reconciliation.schemas';
import {
  DELIVERY,
  FOLLOW_UP,
  GATE,
  INDEX,
  ORDER,
  PROJECTIONS,
  REPORT,
  ROUTE_EXPLANATION,
  TEXT,
  UNPARK_REFUSED,
  closed,
  listOf,
} from './operator.schemas';

const JSON_TYPE = 'application/json';
const QUESTIONS = 'Questions';
const ACTIONS = 'Actions';
const PROCESS = 'Process';

const answer = (description: string, schema: JsonSchema): DocumentedResponse => ({ description, content: { [JSON_TYPE]: { schema } } });
const refused = (description: string): DocumentedResponse => answer(description, ref('Refused'));
const AWAY = { 503: refused('A store does not answer') };
const ADMISSION = {
  401: refused('No token of an operator'),
  403: refused('The role may not; or a `Host` that is none of this port’s, or a page of a browser'),
};
/** Of what needs no token. */
const OTHERS = { 403: refused('A `Host` that is none of this port’s, or a page of a browser') };
const UNREADABLE = { 400: refused('The question cannot be read'), ...AWAY };
const NOT_FOUND = { 404: refused('There is none of this id'), ...AWAY };
const ORDER_NOT_FOUND = { 404: answer('There is none of this id in the index', closed({ error: TEXT, index: INDEX }, ['index'])) };
const ACTION = {
  ...NOT_FOUND,
  400: refused('A member is missing, misspelt or wrong'),
  413: refused('The body is larger than 16 KiB'),
  415: refused('The body is not JSON'),
  504: refused('Not known whether it was done'),
};
const named = (name: string, description: string): DocumentedParameter => ({ name, in: 'path', required: true, description, schema: TEXT });
const ERASED = closed(
  {
    requestId: { type: 'string', description: 'By which the events of it are found.' },
    texts: { type: 'integer', description: 'Keys of sealed texts that were destroyed.' },
    cards: { type: 'integer', description: 'Cards that were shredded.' },
  },
  ['requestId'],
);
const ORDER_ID = named('orderId', 'As the merchant was answered.');
const NOT_THEN = { 404: refused('There is none of this id, or it was not there then') };
const MOMENT: readonly DocumentedParameter[] = [
  { name: 'atVersion', in: 'query', required: false, description: 'As of this event, counted from 0.', schema: TEXT },
  { name: 'knownAt', in: 'query', required: false, description: 'What was on record at this time, with Z or an offset.', schema: TEXT },
  { name: 'trueAt', in: 'query', required: false, description: 'What was so at this time by the gates’ own clocks.', schema: TEXT },
];
const CASE_ID = named('caseId', 'As the list of cases has it.');
const ANY_ORDER_ID = named('orderId', 'An orderid or a client_orderid.');
const TRAIL_ANSWER = {
  200: {
    description: 'In the order of the log, as JSON, NDJSON or CSV',
    content: { [JSON_TYPE]: { schema: ref('Trail') }, 'application/x-ndjson': { schema: TEXT }, 'text/csv': { schema: TEXT } },
  },
  ...ORDER_NOT_FOUND,
  409: refused('Orders of several merchants carry this client_orderid'),
};
const LIST_ANSWER = {
  200: {
    description: 'The newest first, as JSON, NDJSON or CSV',
    headers: { 'Audit-Next': { description: '`cursor` of the next page.', schema: TEXT } },
    content: {
      [JSON_TYPE]: { schema: ref('OrderList') },
      'application/x-ndjson': { schema: TEXT },
      'text/csv': { schema: TEXT },
    },
  },
};
const bodyOf = (name: string, example: object) => ({ type: JSON_TYPE, schema: ref(name), example });

/** What operators are answered, by what they ask; with the least role that may. */
const ASKED: Readonly<Record<OperatorRequestName, Omit<Documentation, 'security' | 'description' | 'tag'>>> = {
  'read-metrics': { id: 'metrics', summary: 'Figures for Prometheus', responses: { 200: { description: 'Text.' }, ...OTHERS } },
  'list-unknown': {
    id: 'unknownOrders',
    summary: 'Orders with an outcome that nobody knows, their own or that of a follow-up, the oldest first',
    responses: {
      200: answer('At most 1,000; a viewer is told nothing that names a card', closed({ orders: listOf(ref('Order')) })),
      ...AWAY,
    },
  },
  'list-gates': {
    id: 'gates',
    summary: 'The configured gates, and which of them new orders do without',
    responses: { 200: answer('As the process that answers sees them: each has its own circuits', closed({ gates: listOf(ref('Gate')) })) },
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
  'find-orders': {
    id: 'findOrders',
    summary: 'The orders that an identifier of any kind names',
    parameters: [
      { name: 'q', in: 'query', required: true, description: 'The identifier.', schema: { type: 'string', minLength: 1, maxLength: 256 } },
      { name: 'after', in: 'query', required: false, description: 'What the page before told as `next`.', schema: TEXT },
    ],
    responses: {
      200: answer(
        'Each with what the identifier is to it',
        closed(
          {
            found: listOf(closed({ by: listOf(TEXT), order: ref('Order') })),
            next: { type: 'string', description: 'There are more, of a card or a reference to it: `after` of the next page.' },
            index: INDEX,
          },
          ['next', 'index'],
        ),
      ),
      ...UNREADABLE,
    },
  },
  'show-order': {
    id: 'order',
    summary: 'One order',
    parameters: [ORDER_ID],
    responses: { 200: answer('As its stream has it', ref('Order')), ...AWAY, ...ORDER_NOT_FOUND },
  },
  'list-deliveries': {
    id: 'orderDeliveries',
    summary: 'Its callbacks and every try of each',
    parameters: [ORDER_ID],
    responses: { 200: answer('The oldest first', closed({ deliveries: listOf(ref('Delivery')) })), ...AWAY, ...ORDER_NOT_FOUND },
  },
  'settle-unknown': {
    id: 'resolveUnknownOutcome',
    summary: 'Say how an outcome ended that no gate has told',
    parameters: [ORDER_ID],
    body: bodyOf('Resolution', { as: 'declined', reason: 'The acquirer says so, by telephone', actor: 'kim' }),
    responses: {
      200: answer('It is resolved', closed({ order: ref('Order') })),
      ...ACTION,
      409: refused('Nothing of it is unknown, or the gate’s own word may be a moment away'),
    },
  },
  'record-report': {
    id: 'recordReport',
    summary: 'Record a reversal, a chargeback, the outcome of a representment or a fraud warning that came on paper or in a file',
    parameters: [ORDER_ID],
    body: bodyOf('DisputeReport', {
      kind: 'chargeback',
      case: 'CB-77',
      amount: '10.42',
      currency: 'USD',
      reasonCode: '10.4',
      date: '2026-11-24',
    }),
    responses: {
      200: answer('It is recorded, now or before', closed({ order: ref('Order'), isKnown: { type: 'boolean' } })),
      202: answer('It came from a file and does not fit the order: kept for a person to look at', closed({ setAside: TEXT })),
      ...ACTION,
      409: refused('It does not fit the order'),
    },
  },
  'resend-delivery': {
    id: 'resendDelivery',
    summary: 'Have a callback sent once more, under the same id and with the same bytes',
    parameters: [named('deliveryId', '`<webhook-id>:<target>`, as the deliveries of the order have it.')],
    body: bodyOf('Resend', { reason: 'The shop lost it' }),
    responses: {
      202: answer('It is due at once', closed({ deliveryId: TEXT, merchant: TEXT, isDueAlready: { type: 'boolean' } })),
      ...ACTION,
    },
  },
  'unpark-stream': {
    id: 'unparkStream',
    summary: 'Have a stream taken up again that the read models had parked',
    parameters: [named('stream', 'As the log line of the parking names it.')],
    body: bodyOf('Unpark', {}),
    responses: {
      200: answer('It is taken up', closed({ stream: TEXT, applied: PROJECTIONS, stillParked: PROJECTIONS })),
      ...ACTION,
      404: answer('No projection has parked it', UNPARK_REFUSED),
      409: answer('An event of it still cannot be applied', UNPARK_REFUSED),
    },
  },
  'list-cases': {
    id: 'reconciliationCases',
    summary: 'Differences between the log and what gates settled, the oldest first',
    parameters: [
      { name: 'gate', in: 'query', required: false, description: 'Of this gate alone.', schema: TEXT },
      { name: 'all', in: 'query', required: false, description: '`true` for the closed ones too.', schema: TEXT },
    ],
    responses: { 200: answer('At most 1,000', closed({ cases: listOf(ref('Case')) })), ...UNREADABLE },
  },
  'list-orders': {
    id: 'listOrders',
    summary: 'Orders by any of their identifiers and facts, a page at a time; that it was asked is on record',
    parameters: LIST_PARAMETERS,
    responses: { ...LIST_ANSWER, ...UNREADABLE },
  },
  'order-trail': {
    id: 'orderTrail',
    summary: 'All that belongs to an order as one trail: cards, gates, deliveries, what people did; that it was asked is on record',
    parameters: [ANY_ORDER_ID, ...TRAIL_PARAMETERS],
    responses: { ...TRAIL_ANSWER, ...UNREADABLE },
  },
  'configuration-in-force': {
    id: 'configurationInForce',
    summary: 'Which configuration applied at a moment: rules, gate settings, ids of keys',
    parameters: CONFIGURATION_PARAMETERS,
    responses: { 200: answer('As a process had it', CONFIGURATION_IN_FORCE), ...UNREADABLE, 404: refused('None was on record by then') },
  },
  'reveal-order': {
    id: 'revealOrder',
    summary: 'The same with what is sealed in it; grounds and extent are on record before it is told',
    parameters: [ANY_ORDER_ID],
    body: bodyOf('Reveal', { reason: 'Dispute 4711: the cardholder asks what we hold' }),
    responses: {
      ...TRAIL_ANSWER,
      ...UNREADABLE,
      413: refused('The body is larger than 16 KiB'),
      415: refused('The body is not JSON'),
    },
  },
  'order-evidence': {
    id: 'orderEvidence',
    summary:
      'An evidence pack of an order for a dispute: a zip that anybody can check offline; grounds and extent are on record before it is told',
    parameters: [ANY_ORDER_ID],
    body: bodyOf('MakeEvidence', { reason: 'Chargeback 4711 of the scheme', at: '2026-11-24T08:30:00Z' }),
    responses: {
      200: { description: 'The pack', content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } } },
      ...UNREADABLE,
      404: refused('There is no such order'),
      409: refused('No signed checkpoint reaches its events yet, or several merchants have an order of this name'),
      413: refused('The body is larger than 16 KiB'),
      415: refused('The body is not JSON'),
    },
  },
  'search-orders': {
    id: 'searchOrders',
    summary: 'The same in a body, and by an e-mail address, which must not stand in a log of paths',
    body: bodyOf('ListOrders', { email: 'jane@example.com', status: 'approved', limit: 20 }),
    responses: {
      ...LIST_ANSWER,
      ...UNREADABLE,
      413: refused('The body is larger than 16 KiB'),
      415: refused('The body is not JSON'),
    },
  },
  'show-order-as-of': {
    id: 'orderStateAsOf',
    summary: 'The state of an order as of a moment, with the events that count then',
    parameters: [ORDER_ID, ...MOMENT],
    responses: { 200: answer('As of then', ref('OrderStateAsOf')), ...UNREADABLE, ...NOT_THEN },
  },
  'diff-order': {
    id: 'orderDifference',
    summary: 'What differs between two moments of an order, and the event behind each changed field',
    parameters: [
      ORDER_ID,
      {
        name: 'from',
        in: 'query',
        required: true,
        description: 'A revision, counted from 0, or a time with Z or an offset.',
        schema: TEXT,
      },
      { name: 'to', in: 'query', required: true, description: 'The same, and not earlier.', schema: TEXT },
      { name: 'true', in: 'query', required: false, description: '`true`: times are the gates’ own.', schema: TEXT },
    ],
    responses: { 200: answer('Each field', closed({ differences: listOf(DIFFERENCE) })), ...UNREADABLE, ...NOT_THEN },
  },
  'explain-order': {
    id: 'orderWhy',
    summary: 'The event that gave a field of an order its value, its actor, and its causes back to the request',
    parameters: [
      ORDER_ID,
      {
        name: 'field',
        in: 'query',
        required: true,
        description: 'As the state has it: `status`, `card.bin`, `followUps[0].status`.',
        schema: TEXT,
      },
      ...MOMENT,
    ],
    responses: { 200: answer('The event and its causes', WHY), ...UNREADABLE, ...NOT_THEN },
  },
  'list-unknown-as-of': {
    id: 'unknownOrdersAsOf',
    summary: 'The orders with an outcome that was unknown at a time, as they were then; page by page, of which some may be empty',
    parameters: [
      { name: 'knownAt', in: 'query', required: true, description: 'A time with Z or an offset.', schema: TEXT },
      { name: 'merchant', in: 'query', required: false, description: 'Of this merchant alone.', schema: TEXT },
      { name: 'after', in: 'query', required: false, description: 'The `next` of the page before.', schema: TEXT },
      { name: 'limit', in: 'query', required: false, description: 'Orders of a page: 100, at most 200.', schema: TEXT },
    ],
    responses: {
      200: answer('A page', closed({ orders: listOf(ref('Order')), untold: listOf(TEXT), next: TEXT }, ['next'])),
      ...UNREADABLE,
    },
  },
  'list-keys': {
    id: 'vaultKeys',
    summary: 'How many rows of the vault lie under which key-encrypting key; every row is looked at',
    responses: {
      200: answer(
        'By the id of the key; what is erased lies under none',
        closed({
          primary: { type: 'integer', description: 'Of the key that wraps what is new.' },
          keys: listOf(closed({ id: { type: 'integer' }, cards: { type: 'integer' }, orderKeys: { type: 'integer' } })),
          retired: listOf(TEXT),
        }),
      ),
      ...AWAY,
    },
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
  'erase-order': {
    id: 'eraseOrder',
    summary: 'Destroy the keys of an order’s personal data and texts, and its cards; its events stay as they are',
    parameters: [ORDER_ID],
    body: bodyOf('EraseOrder', { reason: 'The payer asked for it, ticket 4711', endsReferences: true }),
    responses: {
      200: answer('It is done; without `requestId` nothing was left', ERASED),
      ...ACTION,
      409: refused('It is under legal hold, or what it holds is still needed: `error` says what for'),
    },
  },
  'erase-card': {
    id: 'eraseCard',
    summary: 'Shred the card behind a reference; every reference to it ends',
    parameters: [named('cardRefId', 'As create-card-ref gave it.')],
    body: bodyOf('EraseCard', { reason: 'The payer asked for it, ticket 4711' }),
    responses: {
      200: answer('It is done; without `requestId` nothing was left', ERASED),
      ...ACTION,
      409: refused('Its order is under legal hold, or not final'),
    },
  },
  'place-hold': {
    id: 'placeLegalHold',
    summary: 'Keep an order from being erased, on request or by age',
    parameters: [ORDER_ID],
    body: bodyOf('Hold', { reason: 'A court asks for it, 12 O 3/26' }),
    responses: {
      200: answer('It is held, now or before', closed({ isHeld: { type: 'boolean' } })),
      ...ACTION,
      409: refused('It is being erased'),
    },
  },
  'release-hold': {
    id: 'releaseLegalHold',
    summary: 'Let an order be erased again',
    parameters: [ORDER_ID],
    body: bodyOf('Hold', { reason: 'The case is closed' }),
    responses: {
      200: answer('It is not held any more', closed({ isHeld: { type: 'boolean' } })),
      ...ACTION,
      409: refused('It is not held'),
    },
  },
  'find-customer': {
    id: 'customerOrders',
    summary: 'The orders of one payer at one merchant, a page at a time, by opening the customer of each',
    body: bodyOf('FindCustomer', { merchant: 'acme', customer: 'jane@example.com' }),
    responses: {
      200: answer(
        'A page may have none, and there may be more all the same',
        closed(
          {
            orders: listOf(
              closed({ orderId: TEXT, clientOrderId: TEXT, status: TEXT, acceptedAt: { type: 'string', format: 'date-time' } }),
            ),
            next: { type: 'string', description: 'There is more of the log: `after` of the next page.' },
          },
          ['next'],
        ),
      ),
      ...ACTION,
    },
  },
  'inquire-gate': {
    id: 'inquireGate',
    summary: 'Ask a gate what became of what it was asked in a period, a page at a time; nothing is changed',
    body: bodyOf('Inquiry', { gate: 'sim-primary', from: 1_767_225_600_000, before: 1_767_312_000_000 }),
    responses: { 200: answer('What it says', INQUIRED), ...ACTION, 409: refused('This gate takes no inquiries') },
  },
};

const documentationOf = (wanted: OperatorRequestName): Documentation =>
  wanted === 'read-metrics'
    ? {
        ...ASKED[wanted],
        tag: PROCESS,
        security: [],
        description: 'Open, or with OPERATOR_METRICS=token for the role viewer and those above it.',
      }
    : {
        ...ASKED[wanted],
        tag: OPERATOR_ACTIONS.some((action) => action === wanted) ? ACTIONS : QUESTIONS,
        security: ['operator'],
        description: `For the role ${LEAST_ROLES[wanted]} and those above it.`,
        responses: { ...ADMISSION, ...ASKED[wanted].responses },
      };

const HEALTH: Readonly<Record<keyof HealthController, Documentation>> = {
  live: {
    id: 'live',
    tag: PROCESS,
    summary: 'The process answers',
    security: [],
    responses: { 200: { description: 'It does.' }, ...OTHERS },
  },
  ready: {
    id: 'ready',
    tag: PROCESS,
    summary: 'It can serve',
    security: [],
    responses: { 200: { description: 'It can.' }, 503: { description: 'It cannot, with the state of each store.' }, ...OTHERS },
  },
};

type Handlers = Readonly<Record<string, PropertyDescriptor>>;
const handlersOf = ({ prototype }: { readonly prototype: object }): Handlers => {
  const { constructor: _itself, ...handlers } = Object.getOwnPropertyDescriptors(prototype) as Record<string, PropertyDescriptor>;
  return handlers;
};

/** Says of each route of the port's own controllers what it is; a route that names a request is known by it. */
const documentControllers = (): void => {
  const controllers = [
    OperatorController,
    OperatorDisputesController,
    OperatorRoutingController,
    OrderHistoryController,
    OperatorReconciliationController,
    AuditController,
    EvidenceController,
    OperatorErasureController,
    OperatorKeysController,
    MetricsController,
  ];
  for (const Controller of controllers) {
    for (const [name, handler] of Object.entries(handlersOf(Controller))) {
      const wanted = requestNameOf(handler.value as object);
      if (wanted !== undefined) Documented(documentationOf(wanted))(Controller.prototype, name, handler);
    }
  }
  const health = handlersOf(HealthController);
  for (const [name, documentation] of Object.entries(HEALTH)) {
    const handler = health[name];
    if (handler === undefined) throw new Error(`no route of health is called ${name}`);
    Documented(documentation)(HealthController.prototype, name, handler);
  }
  ApiExcludeController()(DocumentsController);
  ApiExcludeController()(OperatorFormerPathsController);
  ApiExcludeController()(OperatorMethodsController);
};

/** What operators ask and do, by the controllers of their port. */
export const operatorDocument = (): Promise<OpenAPIObject> => {
  documentControllers();
  return makeDocument({
    title: 'Operator API',
    description:
      'On the operator’s port alone. Who asks is told by a token; every action is an event with its actor before it is done, and every refusal is one too. Roles, from the least: viewer, investigator, operator, admin.',
    server: 'http://127.0.0.1:8082',
    tags: { [QUESTIONS]: 'What is asked.', [ACTIONS]: 'What is done, on record.', [PROCESS]: 'Of the process.' },
    security: { operator: { type: 'http', scheme: 'bearer', description: 'As `orch operator new` made it.' } },
    schemas: {
      Order: closed(ORDER),
      OrderStateAsOf: ORDER_STATE_AS_OF,
      FollowUp: closed(FOLLOW_UP),
      Report: closed(REPORT),
      DisputeReport: bodySchema(ReportRequest),
      Delivery: closed(DELIVERY, ['nextTryAt']),
      Resolution: bodySchema(ResolveRequest),
      Gate: closed(GATE),
      RouteQuestion: bodySchema(RouteQuestionRequest),
      RouteExplanation: closed(ROUTE_EXPLANATION, ['drawnBy', 'shares', 'commissions']),
      Resend: bodySchema(ResendRequest),
      Unpark: bodySchema(UnparkRequest),
      Case: CASE,
      CaseRequest: CASE_REQUEST,
      OpenCases: OPEN_CASES,
      CloseCase: bodySchema(CloseCaseRequest),
      ApplyCase: bodySchema(ApplyCaseRequest),
      EraseOrder: bodySchema(EraseOrderRequest),
      EraseCard: bodySchema(EraseCardRequest),
      Hold: bodySchema(HoldRequest),
      FindCustomer: bodySchema(FindCustomerRequest),
      Inquiry: INQUIRY,
      ListOrders: LIST_BODY,
      ListedOrder: closed(LISTED_ORDER),
      OrderList: ORDER_LIST,
      Trail: TRAIL,
      TrailEntry: closed(TRAIL_ENTRY),
      MakeEvidence: bodySchema(EvidenceRequest),
      Reveal: bodySchema(RevealRequest),
      Refused: closed({ error: TEXT }),
    },
    from: OperatorPortModule.over({ get: () => ({}) as never }),
  });
};
