import type { OpenAPIObject } from '@nestjs/swagger';
import {
  answerSchema,
  CALLBACK_MEMBERS,
  INVOICE_ID_LENGTH_MAX,
  MERCHANT_CAUSES,
  MERCHANT_ROUTES,
  type JsonSchema,
} from '@app/gateway-protocol';
import { sampleOf, type BodyName } from '@app/gateway-protocol/testing';
import type { MerchantServerOperationName } from '@app/merchant-server';
import { controllerOf, ref, type DocumentedOperation, type DocumentedParameter } from './documented-operation';
import { callbackExample } from './group-a.examples';
import { failuresBy, jsonOf, parametersIn, schemasOf } from './group-b';
import { makeDocument } from './make-document';

const JSON_TYPE = 'application/json';
const APP = 'For apps';
const GATEWAY = 'For the gateway';
const ERROR: BodyName = 'MerchantErrorResponse';

interface Asked {
  readonly path: string;
  readonly tag: typeof APP | typeof GATEWAY;
  readonly summary: string;
  readonly request?: BodyName;
  readonly answer?: BodyName;
}

const { initiate, check, notification, accessToken, clientIds, randomSum, callback } = MERCHANT_ROUTES;
const initiated = (path: string, what: string, request: BodyName, answer: BodyName = 'InitiateResponse'): Asked => ({
  path,
  tag: APP,
  summary: `Open an invoice for ${what}`,
  request,
  answer,
});
const checked = (path: string, what: string, request: BodyName, answer: BodyName): Asked => ({
  path,
  tag: GATEWAY,
  summary: `Confirms ${what} and its details`,
  request,
  answer,
});
const notified = (path: string, what: string, request: BodyName): Asked => ({
  path,
  tag: GATEWAY,
  summary: `Receives the card references of ${what}`,
  request,
  answer: 'NotificationResponse',
});

/** The first path of each operation; the others are accepted too. */
const OPERATIONS: Readonly<Record<MerchantServerOperationName, Asked>> = {
  'request-access-token': { path: accessToken[0], tag: APP, summary: 'Get an access token', answer: 'AccessTokenResponse' },
  'initiate-verification': initiated(initiate.verification[0], 'a verification', 'InitiateVerificationRequest'),
  'initiate-sale': initiated(initiate.sale[0], 'a sale', 'InitiateSaleRequest'),
  'initiate-transfer': initiated(initiate.transfer[0], 'a transfer', 'InitiateTransferRequest', 'InitiateTransferResponse'),
  'check-verification': checked(check.verification[0], 'a verification', 'CheckVerificationRequest', 'CheckVerificationResponse'),
  'check-sale': checked(check.sale[0], 'a sale', 'CheckSaleRequest', 'CheckSaleResponse'),
  'check-transfer': checked(check.transfer[0], 'a transfer', 'CheckTransferRequest', 'CheckTransferResponse'),
  'notification-verification': notified(notification.verification[0], 'a verification', 'VerificationNotification'),
  'notification-sale': notified(notification.sale[0], 'a sale', 'SaleNotification'),
  'notification-transfer': notified(notification.transfer[0], 'a transfer', 'TransferNotification'),
  'get-client-ids': {
    path: clientIds[0],
    tag: APP,
    summary: 'The ids by which the app may refer to the cards of an invoice',
    request: 'ClientIdsRequest',
    answer: 'ClientIdsResponse',
  },
  'random-sum': {
    path: randomSum[0],
    tag: APP,
    summary: 'Submit the random sum from the cardholder’s statement',
    request: 'RandomSumRequest',
  },
  callback: { path: callback[0], tag: GATEWAY, summary: 'Receives the final status of an order' },
};

const CALLBACK: JsonSchema = answerSchema(CALLBACK_MEMBERS, ['status', 'orderid', 'merchant_order', 'client_orderid', 'type', 'control']);
const INVOICE: DocumentedParameter = {
  name: 'invoiceId',
  in: 'path',
  required: true,
  description: 'The value from the initiate response.',
  schema: { type: 'string', minLength: 1, maxLength: INVOICE_ID_LENGTH_MAX },
};

const EMAIL: DocumentedParameter = {
  name: 'email',
  in: 'query',
  required: false,
  description: 'The consumer’s e-mail address, if the server identifies consumers by it.',
  schema: { type: 'string', minLength: 3, maxLength: 128 },
};

const operations = (Object.entries(OPERATIONS) as [MerchantServerOperationName, Asked][]).map(
  ([name, { path, tag, summary, request, answer }]): DocumentedOperation => ({
    method: name === 'request-access-token' ? 'get' : 'post',
    path,
    id: name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()),
    tag,
    summary,
    security: name === 'request-access-token' ? ['consumer'] : [],
    parameters: [...parametersIn(path, { invoiceId: INVOICE }), ...(name === 'request-access-token' ? [EMAIL] : [])],
    ...(request !== undefined && { body: jsonOf(request) }),
    ...(name === 'callback' && { body: { type: JSON_TYPE, schema: ref('Callback'), example: callbackExample() } }),
    responses: {
      200: {
        description: 'The answer.',
        content: {
          [JSON_TYPE]: answer === undefined ? { schema: { type: 'object' } } : { schema: ref(answer), example: sampleOf(answer) },
        },
      },
      403: { description: 'The caller is unknown, or its authentication is invalid. The body is empty.' },
      405: { description: 'The method is not supported.', content: { [JSON_TYPE]: { schema: ref(ERROR) } } },
      413: { description: 'The body is too large.', content: { [JSON_TYPE]: { schema: ref(ERROR) } } },
      ...failuresBy(MERCHANT_CAUSES, ERROR),
    },
  }),
);

const bodies = Object.values(OPERATIONS).flatMap(({ request, answer }) => [request, answer].filter((name) => name !== undefined));

export const merchantServerDocument = (): Promise<OpenAPIObject> =>
  makeDocument({
    title: 'Merchant server (Group B)',
    description:
      'The API that a merchant serves for its apps and the gateway. If a server has several products, each is also below its login: `/<login>/verification/...`.',
    server: 'http://127.0.0.1:8081',
    tags: { [APP]: 'Called by the merchant’s apps.', [GATEWAY]: 'Called by the gateway.' },
    security: {
      consumer: {
        type: 'http',
        scheme: 'bearer',
        description: 'The product’s `tokenSecret`. A product that mounts the server authenticates its consumers itself.',
      },
    },
    schemas: { Callback: CALLBACK, ...schemasOf([...bodies, ERROR]) },
    from: [controllerOf('MerchantServer', operations)],
  });
