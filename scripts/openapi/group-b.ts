import type { OpenAPIObject } from '@nestjs/swagger';
import {
  ASSIGNED_ID_LENGTH_MAX,
  deviceSchema,
  GROUP_B_OPERATIONS,
  HTTP_STATUS_OF_CAUSE,
  inKib,
  INVOICE_ID_LENGTH_MAX,
  type DeviceErrorCause,
  type GroupBOperationName,
  type JsonSchema,
} from '@app/gateway-protocol';
import { classOf, sampleOf, type BodyName } from '@app/gateway-protocol/testing';
import { described } from './described-schema';
import {
  controllerOf,
  ref,
  type DocumentedContent,
  type DocumentedOperation,
  type DocumentedParameter,
  type DocumentedResponse,
} from './documented-operation';
import { makeDocument } from './make-document';

const JSON_TYPE = 'application/json';

const BODIES: Readonly<Record<GroupBOperationName, { readonly request: BodyName; readonly answer: BodyName; readonly error: BodyName }>> = {
  'perform-verification': { request: 'PerformVerificationRequest', answer: 'AcceptedResponse', error: 'PerformErrorResponse' },
  'perform-sale': { request: 'PerformSaleRequest', answer: 'AcceptedResponse', error: 'PerformErrorResponse' },
  'perform-transfer': { request: 'PerformTransferRequest', answer: 'AcceptedResponse', error: 'PerformErrorResponse' },
  'status-verification': { request: 'SessionRequest', answer: 'VerificationStatusResponse', error: 'StatusErrorResponse' },
  'status-sale': { request: 'SessionRequest', answer: 'SaleStatusResponse', error: 'StatusErrorResponse' },
  'status-transfer': { request: 'SessionRequest', answer: 'TransferStatusResponse', error: 'StatusErrorResponse' },
  'complete-transfer': { request: 'SessionRequest', answer: 'AcceptedResponse', error: 'PerformErrorResponse' },
};

const inPath = (name: string, description: string, schema: JsonSchema): DocumentedParameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', ...schema },
});
const PARAMETERS: Readonly<Record<string, DocumentedParameter>> = {
  endpointId: inPath('endpointId', 'The value from the merchant server’s initiate response.', { pattern: '^\\d{1,20}$' }),
  invoiceId: inPath('invoiceId', 'The value from the merchant server’s initiate response.', {
    minLength: 1,
    maxLength: INVOICE_ID_LENGTH_MAX,
  }),
  assignedId: inPath('assignedId', 'The offered fee that the consumer chose.', {
    minLength: 1,
    maxLength: ASSIGNED_ID_LENGTH_MAX,
  }),
};

/** @throws Error for a parameter without a description */
export const parametersIn = (path: string, known: Readonly<Record<string, DocumentedParameter>>): readonly DocumentedParameter[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => {
    const parameter = known[name];
    if (parameter === undefined) throw new Error(`${path}: no description of ${name}`);
    return parameter;
  });

export const jsonOf = (name: BodyName): DocumentedContent & { readonly type: string } => ({
  type: JSON_TYPE,
  schema: ref(name),
  example: sampleOf(name),
});

export const schemasOf = (names: Iterable<BodyName>): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries([...new Set(names)].map((name) => [name, described(classOf(name), deviceSchema(classOf(name)))]));

export const failuresBy = (causes: readonly DeviceErrorCause[], error: BodyName): Readonly<Record<number, DocumentedResponse>> =>
  Object.fromEntries(
    [...new Set(causes.map((cause) => HTTP_STATUS_OF_CAUSE[cause]))].map((status) => {
      const named = causes.filter((cause) => HTTP_STATUS_OF_CAUSE[cause] === status).join(', ');
      return [status, { description: `${named}.`, content: { [JSON_TYPE]: { schema: ref(error) } } }];
    }),
  );

const operations = (Object.keys(GROUP_B_OPERATIONS) as GroupBOperationName[]).map((name): DocumentedOperation => {
  const { path, summary, causes, bodyBytesMax, proof, operation } = GROUP_B_OPERATIONS[name];
  const { request, answer, error } = BODIES[name];
  const refused = { content: { [JSON_TYPE]: { schema: ref(error) } } };
  return {
    method: 'post',
    path,
    id: name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
    tag: operation,
    summary,
    description:
      proof === 'signature'
        ? 'Authenticated by `session.signature`, which the merchant server computed from the invoice.'
        : 'Authenticated by the session that the perform opened.',
    security: [],
    parameters: parametersIn(path, PARAMETERS),
    body: jsonOf(request),
    responses: {
      200: {
        description: 'The answer. By default also for failures; with groupB.httpErrors: status-codes, they get the statuses below.',
        content: { [JSON_TYPE]: { schema: { oneOf: [ref(answer), ref(error)] }, example: sampleOf(answer) } },
      },
      ...failuresBy(causes, error),
      405: { description: 'The method is not POST.', ...refused },
      413: { description: `The body is larger than ${inKib(bodyBytesMax)}.`, ...refused },
      503: { description: 'Too many bodies are being read: nothing was accepted.', ...refused },
    },
  };
});

export const groupBDocument = (): Promise<OpenAPIObject> =>
  makeDocument({
    title: 'Device API (Group B)',
    description: 'JSON requests and answers, for mobile apps.',
    server: 'http://127.0.0.1:8080/paynet',
    tags: { verification: 'Verifies a card.', sale: 'Charges a card.', transfer: 'Moves money from card to card.' },
    security: {},
    schemas: schemasOf(Object.values(BODIES).flatMap(({ request, answer, error }) => [request, answer, error])),
    from: [controllerOf('GroupB', operations)],
  });
