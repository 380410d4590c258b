import {
  AcceptedResponse,
  ASSIGNED_ID_LENGTH_MAX,
  DEVICE_BODY_BYTES_MAX,
  DEVICE_OPERATIONS,
  deviceSchema,
  inKib,
  INVOICE_ID_LENGTH_MAX,
  PerformErrorResponse,
  PerformSaleRequest,
  PerformTransferRequest,
  PerformVerificationRequest,
  SaleStatusResponse,
  SessionRequest,
  SHORT_DEVICE_BODY_BYTES_MAX,
  StatusErrorResponse,
  TransferStatusResponse,
  VerificationStatusResponse,
  type DeviceOperation,
  type JsonSchema,
} from '@app/gateway-protocol';
import { ref, type OpenApi, type Operation, type Parameter, type PathItem } from './open-api';

const JSON_TYPE = 'application/json';

const PERFORM_REQUESTS = {
  verification: PerformVerificationRequest,
  sale: PerformSaleRequest,
  transfer: PerformTransferRequest,
} as const satisfies Readonly<Record<DeviceOperation, unknown>>;

const STATUS_RESPONSES = {
  verification: VerificationStatusResponse,
  sale: SaleStatusResponse,
  transfer: TransferStatusResponse,
} as const satisfies Readonly<Record<DeviceOperation, unknown>>;

const inPath = (name: string, description: string, schema: JsonSchema): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', ...schema },
});
const ENDPOINT = inPath('endpointId', 'As the merchant server answered initiate', { pattern: '^\\d{1,20}$' });
const INVOICE = inPath('invoiceId', 'As the merchant server answered initiate', { minLength: 1, maxLength: INVOICE_ID_LENGTH_MAX });
const ASSIGNED = inPath('assignedId', 'Of the fees offered, the one that the consumer chose', {
  minLength: 1,
  maxLength: ASSIGNED_ID_LENGTH_MAX,
});

const titled = (operation: DeviceOperation): string => operation.charAt(0).toUpperCase() + operation.slice(1);

const operationOf = (
  { id, summary, request, answer, error }: { id: string; summary: string; request: string; answer: string; error: string },
  parameters: readonly Parameter[],
): Operation => ({
  operationId: id,
  summary,
  parameters,
  requestBody: { required: true, content: { [JSON_TYPE]: { schema: ref(request) } } },
  responses: {
    200: {
      description: 'The answer; by default a failure too, which the setting groupB.httpErrors gives a status of its own',
      content: { [JSON_TYPE]: { schema: { oneOf: [ref(answer), ref(error)] } } },
    },
    405: { description: 'The method is not POST', content: { [JSON_TYPE]: { schema: ref(error) } } },
    413: {
      description: `The body is larger than ${inKib(request === 'Session' ? SHORT_DEVICE_BODY_BYTES_MAX : DEVICE_BODY_BYTES_MAX)}`,
      content: { [JSON_TYPE]: { schema: ref(error) } },
    },
    503: { description: 'Too much is being read at the moment: nothing was accepted', content: { [JSON_TYPE]: { schema: ref(error) } } },
  },
});

/** The device interface (interface, sections 4.2, 4.5 and 4.7), from the classes by which requests are read. */
export const groupBDocument = (baseUrl: string, version: string): OpenApi => {
  const schemas: Record<string, JsonSchema> = {
    Session: deviceSchema(SessionRequest),
    Accepted: deviceSchema(AcceptedResponse),
    PerformError: deviceSchema(PerformErrorResponse),
    StatusError: deviceSchema(StatusErrorResponse),
  };
  const paths: Record<string, PathItem> = {};
  for (const operation of DEVICE_OPERATIONS) {
    const name = titled(operation);
    const path = `/dapi/v1/${operation}/{endpointId}/{invoiceId}`;
    schemas[`Perform${name}`] = deviceSchema(PERFORM_REQUESTS[operation]);
    schemas[`${name}Status`] = deviceSchema(STATUS_RESPONSES[operation]);
    const perform = {
      id: `perform${name}`,
      summary: `Perform ${operation}`,
      request: `Perform${name}`,
      answer: 'Accepted',
      error: 'PerformError',
    };
    const status = {
      id: `${operation}Status`,
      summary: `${name} status`,
      request: 'Session',
      answer: `${name}Status`,
      error: 'StatusError',
    };
    paths[path] = { post: operationOf(perform, [ENDPOINT, INVOICE]) };
    paths[`${path}/status`] = { post: operationOf(status, [ENDPOINT, INVOICE]) };
  }
  const complete = {
    id: 'completeTransfer',
    summary: 'Complete transfer at the gate that the consumer chose',
    request: 'Session',
    answer: 'Accepted',
    error: 'PerformError',
  };
  paths['/dapi/v1/transfer/{endpointId}/{invoiceId}/{assignedId}'] = { post: operationOf(complete, [ENDPOINT, INVOICE, ASSIGNED]) };
  return {
    openapi: '3.1.0',
    info: { title: 'Device API (Group B)', version, description: 'JSON in, JSON out: what a mobile app asks of the gateway.' },
    servers: [{ url: baseUrl }],
    paths,
    components: { schemas },
  };
};
