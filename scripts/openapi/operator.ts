import { ApiExcludeController } from '@nestjs/swagger';
import type { OpenAPIObject } from '@nestjs/swagger';
import { bodySchema } from '@app/gateway-protocol';
import { OPERATOR_ACTIONS } from '@app/investigation/record';
import { LEAST_ROLES, type OperatorRequestName } from '@app/investigation';
import { AuditController } from '../../apps/orchestrator/src/operator/audit.controller';
import { EvidenceController } from '../../apps/orchestrator/src/operator/evidence.controller';
import { EvidenceRequest } from '../../apps/orchestrator/src/operator/evidence.controller';
import { RevealRequest } from '../../apps/orchestrator/src/operator/audit.controller';
import { DocumentsController } from '../../apps/orchestrator/src/documents/documents.controller';
import { HealthController } from '../../apps/orchestrator/src/monitoring/health.controller';
import { MetricsController } from '../../apps/orchestrator/src/operator/metrics.controller';
import { OperatorPortModule } from '../../apps/orchestrator/src/operator/operator-port.module';
import { OperatorMethodsController } from '../../apps/orchestrator/src/operator/operator-methods.controller';
import { OperatorDisputesController } from '../../apps/orchestrator/src/operator/operator-disputes.controller';
import { OperatorKeysController } from '../../apps/orchestrator/src/operator/operator-keys.controller';
import { OperatorErasureController } from '../../apps/orchestrator/src/operator/operator-erasure.controller';
import {
  EraseCardRequest,
  EraseOrderRequest,
  FindCustomerRequest,
  HoldRequest,
} from '../../apps/orchestrator/src/operator/operator-erasure.controller';
import { OperatorController } from '../../apps/orchestrator/src/operator/operator.controller';
import { OperatorReconciliationController } from '../../apps/orchestrator/src/operator/operator-reconciliation.controller';
import { OrderHistoryController } from '../../apps/orchestrator/src/operator/order-history.controller';
import { OperatorRoutingController } from '../../apps/orchestrator/src/operator/operator-routing.controller';
import { ReportRequest } from '../../apps/orchestrator/src/operator/operator-disputes.controller';
import { requestNameOf } from '../../apps/orchestrator/src/operator/operator.guard';
import { ApplyCaseRequest, CloseCaseRequest } from '../../apps/orchestrator/src/operator/reconciliation.requests';
import { ResendRequest, ResolveRequest, RouteQuestionRequest, UnparkRequest } from '../../apps/orchestrator/src/operator/operator.requests';
import { LIST_BODY, LISTED_ORDER, ORDER_LIST, sentSchema, TRAIL, TRAIL_ENTRY } from './audit.schemas';
import { Documented, type Documentation } from './documented-operation';
import { makeDocument } from './make-document';
import { ADMISSION, OTHERS, type Asked } from './operator-answers';
import { ASKED_OF_ORDERS } from './operator-orders';
import { ASKED_OF_ROUTING } from './operator-routing';
import { ASKED_OF_AUDIT } from './operator-audit';
import { ASKED_OF_HISTORY } from './operator-history';
import { ASKED_OF_RECONCILIATION } from './operator-reconciliation';
import { ASKED_OF_ERASURE } from './operator-erasure';
import { ORDER_STATE_AS_OF } from './history.schemas';
import { CASE, CASE_REQUEST, INQUIRY, OPEN_CASES } from './reconciliation.schemas';
import { DELIVERY, FOLLOW_UP, GATE, ORDER, SHOWN_ORDER, REPORT, ROUTE_EXPLANATION, TEXT, closed } from './operator.schemas';

const QUESTIONS = 'Questions';
const ACTIONS = 'Actions';
const PROCESS = 'Process';

/** What operators are answered, by what they ask. */
const ASKED: Readonly<Record<OperatorRequestName, Asked>> = {
  'read-metrics': { id: 'metrics', summary: 'Figures for Prometheus', responses: { 200: { description: 'Text.' }, ...OTHERS } },
  ...ASKED_OF_ORDERS,
  ...ASKED_OF_ROUTING,
  ...ASKED_OF_AUDIT,
  ...ASKED_OF_HISTORY,
  ...ASKED_OF_RECONCILIATION,
  ...ASKED_OF_ERASURE,
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
      ShownOrder: SHOWN_ORDER,
      OrderStateAsOf: ORDER_STATE_AS_OF,
      FollowUp: closed(FOLLOW_UP),
      Report: closed(REPORT),
      DisputeReport: bodySchema(ReportRequest),
      Delivery: closed(DELIVERY, ['nextTryAt']),
      Resolution: bodySchema(ResolveRequest),
      Gate: closed(GATE),
      RouteQuestion: sentSchema(RouteQuestionRequest),
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
      MakeEvidence: sentSchema(EvidenceRequest),
      Reveal: bodySchema(RevealRequest),
      Refused: closed({ error: TEXT }),
    },
    from: OperatorPortModule.over({ get: () => ({}) as never }),
  });
};
