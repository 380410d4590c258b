import type { OpenAPIObject } from '@nestjs/swagger';
import {
  answerSchema,
  CALLBACK_MEMBERS,
  FORM_REQUEST_TYPE,
  formSchema,
  GROUP_A_ANSWERS,
  GROUP_A_KEYS,
  GROUP_A_OPERATIONS,
  IDEMPOTENCY_KEY_LENGTH_MAX,
  inKib,
  JSON_ANSWER_TYPE,
  REFUSAL_FIELDS,
  REFUSALS,
  SIGNED_TEXTS,
  type GroupAOperationRow,
  type JsonSchema,
} from '@app/gateway-protocol';
import { described } from './described-schema';
import { controllerOf, ref, type DocumentedOperation, type DocumentedParameter, type DocumentedResponse } from './documented-operation';
import { answerExample, callbackExample, requestExample } from './group-a.examples';
import { makeDocument } from './make-document';

const HTML = 'text/html';
const PAGE = { [HTML]: { schema: { type: 'string' } } } as const;
const ALWAYS = ['type', 'serial-number'];
const OPERATIONS = 'Operations';
const PAGES = 'Pages';

const camel = (words: string): string => words.replace(/[^a-zA-Z0-9]+(.)/g, (_, letter: string) => letter.toUpperCase());
const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
const answerName = (kind: string): string => `${capital(camel(kind))}Answer`;

const inPath = (name: string, description: string, pattern: string, example?: string): DocumentedParameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: { type: 'string', pattern, ...(example !== undefined && { examples: [example] }) },
});
const ENDPOINT = inPath('endpointId', 'Endpoint of a single-currency integration.', '^\\d{1,20}$', '1001');
const GROUP = inPath('groupId', 'Endpoint group: the currency selects one of its endpoints.', '^\\d{1,20}$', '2001');
const RECEIPT = inPath('receiptId', 'The receipt-id in the status of an approved order.', '^[A-Za-z0-9]{24}$');
const IDEMPOTENCY_KEY: DocumentedParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A repeated request with the same key gets the same answer. Another request with that key is refused. With or without quotes.',
  schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_LENGTH_MAX, pattern: '^[ -~]+$' },
};

const proofText = ({ proof }: GroupAOperationRow): string => {
  if (proof.kind === 'oauth') return 'The whole request is signed by OAuth 1.0a with RSA-SHA256, in the header `Authorization`.';
  return `\`control\` is the SHA-1, in hexadecimal, of: ${SIGNED_TEXTS[proof.text]}.`;
};

const refusalsText = [
  ...new Map(Object.values(REFUSALS).map(({ code, message }) => [`${code} ${message}`, `${code}: ${message}`])).values(),
];
const refusal: JsonSchema = {
  ...answerSchema(REFUSAL_FIELDS, ['type', 'serial-number', 'error-message', 'error-code']),
  description: 'Refused: nothing was accepted, except with code 21, where it is unknown.',
};
const REFUSAL: JsonSchema = {
  ...refusal,
  properties: {
    ...refusal.properties,
    type: { type: 'string', enum: [...new Set(Object.values(REFUSALS).map(({ type }) => type))] },
    'error-code': {
      type: 'string',
      enum: [...new Set(Object.values(REFUSALS).map(({ code }) => String(code)))],
      description: refusalsText.join('; '),
    },
  },
};
const CALLBACK: JsonSchema = {
  ...answerSchema(CALLBACK_MEMBERS, ['status', 'orderid', 'merchant_order', 'client_orderid', 'type', 'control']),
  description: '`control` is the SHA-1, in hexadecimal, of: status, orderid, client_orderid, control key.',
};

const responsesOf = (operation: GroupAOperationRow): Readonly<Record<number, DocumentedResponse>> => {
  const { answer, proof, formBytesMax } = operation;
  return {
    200: {
      description:
        'Results and validation errors: key=value joined by &, or the same as flat JSON if Accept names its type. `type` distinguishes them.',
      headers: {
        'Retry-After': { description: 'Seconds to wait, if the merchant’s rate was exceeded.', schema: { type: 'string' } },
        'X-Request-Id': { description: 'The serial number of the request.', schema: { type: 'string' } },
      },
      content: {
        [HTML]: { schema: { type: 'string' }, example: new URLSearchParams(answerExample(answer)).toString().replaceAll('&', '\n&') },
        [JSON_ANSWER_TYPE]: { schema: { oneOf: [ref(answerName(answer)), ref('Refusal')] }, example: answerExample(answer) },
      },
    },
    ...(proof.kind === 'oauth' && { 403: { description: 'The signature is invalid.', content: PAGE } }),
    405: { description: 'The method is not POST.' },
    413: { description: `The body is larger than ${inKib(formBytesMax)}.`, content: PAGE },
    503: { description: 'Too many bodies are being read: nothing was accepted, code 20.', content: PAGE },
  };
};

const operationsOf = (operation: GroupAOperationRow): readonly DocumentedOperation[] =>
  operation.paths.flatMap((path) =>
    [ENDPOINT, GROUP].map((at): DocumentedOperation => ({
      method: 'post',
      path: at === GROUP ? `api/${path}/group/:groupId` : `api/${path}/:endpointId`,
      id: `${camel(path)}${at === GROUP ? 'ByGroup' : 'ByEndpoint'}`,
      tag: OPERATIONS,
      summary: path === operation.paths[0] ? operation.summary : `${operation.summary} (alternative path)`,
      description: proofText(operation),
      security: operation.proof.kind === 'oauth' ? ['oauth'] : [],
      parameters: [at, ...(operation.isKeyed ? [IDEMPOTENCY_KEY] : [])],
      body: { type: FORM_REQUEST_TYPE, schema: ref(operation.message.name), example: requestExample(operation.message) },
      responses: responsesOf(operation),
    })),
  );

const VIEW_RECEIPT: DocumentedOperation = {
  method: 'get',
  path: 'view-receipt/:endpointId/:receiptId/',
  id: 'viewReceipt',
  tag: PAGES,
  summary: 'The printable receipt of an approved order',
  description: 'Everyone who has the address can open the receipt.',
  security: [],
  parameters: [ENDPOINT, RECEIPT],
  responses: {
    200: { description: 'A page.', content: PAGE },
    404: { description: 'There is no such receipt.', content: PAGE },
    503: { description: 'The receipt is not available at the moment.', content: PAGE },
  },
};

const header = (name: string, description: string, required: boolean): DocumentedParameter => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
});
const ORDER_CALLBACK: DocumentedOperation = {
  method: 'post',
  path: 'orderCallback',
  isWebhook: true,
  id: 'orderCallback',
  tag: 'Callbacks',
  summary: 'The final status of an order, or of a later transaction',
  description:
    'Sent to the request’s `server_callback_url`, else to the endpoint’s `callbackUrl`, and repeated until the answer is 200. If the merchant’s `callback.method` is `get`, the query of a GET contains the same members.',
  security: [],
  parameters: [
    header('webhook-id', 'The same for every attempt.', true),
    header('webhook-timestamp', 'Time of this attempt, in whole seconds since the epoch.', true),
    header('webhook-signature', 'Standard Webhooks, if the merchant has a `callback.secret`.', false),
  ],
  body: { type: 'application/json', schema: ref('Callback'), example: callbackExample() },
  responses: {
    200: { description: 'Acknowledged: the callback is not sent again.' },
    '4XX': { description: 'Not acknowledged, as with every other answer: the callback is sent again.' },
  },
};

const rows: readonly GroupAOperationRow[] = GROUP_A_KEYS.map((key) => GROUP_A_OPERATIONS[key]);

/** Swagger UI fills a form with the examples of its fields. */
const exemplified = (Message: new () => object, schema: JsonSchema): JsonSchema => {
  const example = requestExample(Message);
  const properties = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const value = example[name];
    return [name, value === undefined ? field : { ...field, examples: [value] }] as const;
  });
  return { ...schema, properties: Object.fromEntries(properties) };
};

const schemas = (): Readonly<Record<string, JsonSchema>> => {
  const messages = new Map(rows.map(({ message }) => [message.name, exemplified(message, described(message, formSchema(message)))]));
  const answers = Object.entries(GROUP_A_ANSWERS).map(([kind, { type, fields }]): [string, JsonSchema] => {
    const schema = answerSchema(fields, ALWAYS);
    return [answerName(kind), { ...schema, properties: { ...schema.properties, type: { type: 'string', const: type } } }];
  });
  return { Refusal: REFUSAL, Callback: CALLBACK, ...Object.fromEntries(messages), ...Object.fromEntries(answers) };
};

export const groupADocument = (): Promise<OpenAPIObject> =>
  makeDocument({
    title: 'Merchant API (Group A)',
    description:
      'Requests are forms; answers are forms or flat JSON, with HTTP 200 unless stated otherwise. The examples are requests to the sandbox. A checksum is valid for one request only, so replace `control` with your own: `npm run -s orch -- sign <operation> --endpoint 1001 name=value ...` prints it, with `--curl` the whole request.',
    server: 'http://127.0.0.1:8080/paynet',
    tags: {
      [OPERATIONS]: 'Addressed by endpoint or by group.',
      [PAGES]: 'For a browser.',
      Callbacks: 'What the gateway sends to the merchant.',
    },
    security: {
      oauth: {
        type: 'http',
        scheme: 'OAuth',
        description:
          'OAuth 1.0a, RSA-SHA256 over the request, without a token: the consumer key is the login. An invalid signature gets 403.',
      },
    },
    schemas: schemas(),
    from: [controllerOf('GroupA', [...rows.flatMap(operationsOf), VIEW_RECEIPT, ORDER_CALLBACK])],
  });
