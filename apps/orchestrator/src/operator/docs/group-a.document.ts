import {
  answerSchema,
  FORM_REQUEST_TYPE,
  formBytesMax,
  formSchema,
  inKib,
  JSON_ANSWER_TYPE,
  REFUSAL_FIELDS,
  REFUSALS,
  type JsonSchema,
} from '@app/gateway-protocol';
import type { DocumentedOperation } from './group-a.paths';
import { ref, type OpenApi, type Operation, type Parameter, type PathItem } from './open-api';

const HTML_ANSWER_TYPE = 'text/html';
const ALWAYS = ['type', 'serial-number'];

const camel = (words: string): string => words.replace(/[^a-zA-Z0-9]+(.)/g, (_, letter: string) => letter.toUpperCase());
const nameOf = (path: string): string => {
  const name = camel(path);
  return name.charAt(0).toUpperCase() + name.slice(1);
};

const entryPoint = (name: string, what: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description: what,
  schema: { type: 'string', pattern: '^\\d{1,20}$' },
});
const ENDPOINT = entryPoint('endpointId', 'End point of a single-currency integration');
const GROUP = entryPoint('groupId', 'End point group: the currency chooses one of its end points');
const AUTHORIZATION: Parameter = {
  name: 'Authorization',
  in: 'header',
  required: true,
  description: 'OAuth 1.0a, RSA-SHA256; what does not hold is answered with 403 and a page',
  schema: { type: 'string' },
};

const refusal: JsonSchema = {
  ...answerSchema(REFUSAL_FIELDS, ['type', 'serial-number', 'error-message', 'error-code']),
  description: 'Refused: nothing was accepted, but for code 21, where that is not known.',
};
const withCodes: JsonSchema = {
  ...refusal,
  properties: {
    ...refusal.properties,
    type: { type: 'string', enum: [...new Set(Object.values(REFUSALS).map(({ type }) => type))] },
    'error-code': { type: 'string', enum: [...new Set(Object.values(REFUSALS).map(({ code }) => String(code)))] },
  },
};

const operationOf = (path: string, { summary, proof, message }: DocumentedOperation, at: Parameter): Operation => {
  const name = nameOf(path);
  const answer: JsonSchema = { oneOf: [ref(`${name}Answer`), ref('Refusal')] };
  return {
    operationId: `${camel(path)}${at === GROUP ? 'ByGroup' : 'ByEndpoint'}`,
    summary,
    parameters: [at, ...(proof === 'oauth' ? [AUTHORIZATION] : [])],
    requestBody: { required: true, content: { [FORM_REQUEST_TYPE]: { schema: ref(`${name}Request`) } } },
    responses: {
      200: {
        description: 'Every answer of business and validation: key=value joined by &, or the same as flat JSON where Accept asks for it',
        headers: { 'Retry-After': { description: 'Seconds; of a request beyond the merchant’s rate', schema: { type: 'string' } } },
        content: { [HTML_ANSWER_TYPE]: { schema: { type: 'string' } }, [JSON_ANSWER_TYPE]: { schema: answer } },
      },
      ...(proof === 'oauth' && {
        403: { description: 'The signature does not hold', content: { [HTML_ANSWER_TYPE]: { schema: { type: 'string' } } } },
      }),
      413: { description: `The body is larger than ${inKib(formBytesMax(message))}` },
      503: { description: 'Too much is being read at the moment: nothing was accepted, code 20' },
    },
  };
};

/** The merchant API, made of the message classes and the answers' field tables: nothing of them is written a second time. */
export const groupADocument = (paths: Readonly<Record<string, DocumentedOperation>>, baseUrl: string, version: string): OpenApi => {
  const items: Record<string, PathItem> = {};
  const schemas: Record<string, JsonSchema> = { Refusal: withCodes };
  for (const [path, operation] of Object.entries(paths)) {
    const name = nameOf(path);
    schemas[`${name}Request`] = formSchema(operation.message);
    schemas[`${name}Answer`] = answerSchema(operation.answer, ALWAYS);
    items[`/api/${path}/{endpointId}`] = { post: operationOf(path, operation, ENDPOINT) };
    items[`/api/${path}/group/{groupId}`] = { post: operationOf(path, operation, GROUP) };
  }
  items['/view-receipt/{endpointId}/{receiptId}/'] = {
    get: {
      operationId: 'viewReceipt',
      summary: 'The receipt of an approved order, to be printed',
      parameters: [ENDPOINT, { name: 'receiptId', in: 'path', required: true, schema: { type: 'string', pattern: '^[A-Za-z0-9]{24}$' } }],
      responses: {
        200: { description: 'A page', content: { [HTML_ANSWER_TYPE]: { schema: { type: 'string' } } } },
        404: { description: 'No such receipt', content: { [HTML_ANSWER_TYPE]: { schema: { type: 'string' } } } },
      },
    },
  };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Merchant API (Group A)',
      version,
      description: 'Forms in, forms or flat JSON out; always HTTP 200 but where it says otherwise.',
    },
    servers: [{ url: baseUrl }],
    paths: items,
    components: { schemas },
  };
};
