export {
  AUTHORIZATION_LENGTH_MAX,
  OAUTH_METHOD,
  OAUTH_VERSION,
  OAUTH_WINDOW_MS,
  type OauthClaim,
  parseAuthorization,
  writeAuthorization,
  oauthBaseString,
  type OauthParameter,
  type OauthTarget,
  oauthDecoded,
  oauthEncoded,
  decoyOauthKey,
  isOauthSigned,
  isOauthTimely,
  type OauthSigner,
  signedAuthorization,
} from './group-a/oauth';
export {
  CALLBACK_MEMBERS,
  callbackBody,
  type CallbackFacts,
  type CallbackMember,
  callbackPairs,
  callbackQuery,
  type PayerReturnFacts,
  payerReturnPairs,
} from './group-a/callback';
export {
  accountVerificationControl,
  amountFollowUpControl,
  type AmountSigned,
  callbackControl,
  type CallbackSigned,
  cardInfoControl,
  type CardNamed,
  hmacSha1,
  initialPaymentControl,
  type InitialPaymentSigned,
  isControl,
  isRebillControl,
  orderControl,
  type OrderNamed,
  rebillControl,
  type RebillControl,
  type RebillSigned,
  fieldsAsDecoded,
  type SignedFields,
} from './group-a/control';
export {
  type AnswerBody,
  type AnswerPairs,
  parseFormAnswer,
  writeAnswer,
  writeFormAnswer,
  writeJsonAnswer,
} from './group-a/forms/answer-codec';
export {
  FORM_BYTES_MAX,
  formBytesMax,
  inKib,
  SHORT_FORM_BYTES_MAX,
  contentTypeRefusal,
  FORM_ANSWER_TYPE,
  FORM_REQUEST_TYPE,
  JSON_ANSWER_TYPE,
  wantsJson,
} from './group-a/forms/media-types';
export {
  CARD_NUMBER_FIELD,
  cardNumberIn,
  amountsOf,
  readAmount,
  readClientOrderId,
  validateMessage,
} from './group-a/forms/validate-message';
export {
  Form,
  encodeForm,
  malformed,
  type MalformedForm,
  type MalformedReason,
  PARAMETERS_MAX,
  type ParsedForm,
  parseForm,
  decodeComponent,
  type DecodingFault,
  encodeComponent,
} from './group-a/forms/form-codec';
export { IDEMPOTENCY_KEY_HEADER, IDEMPOTENCY_KEY_LENGTH_MAX, readIdempotencyKey } from './group-a/idempotency-key';
export {
  AccountVerificationRequest,
  cardOf,
  InitialOrderRequest,
  PHONE_LENGTH_MAX,
  SaleRequest,
} from './group-a/messages/initial-order.request';
export {
  type AnswerFields,
  type AnswerOf,
  inWireOrder,
  ASYNC_FIELDS,
  type AsyncResponse,
  type Refusal,
  REFUSAL_FIELDS,
  refusalResponse,
  type RefusalResponse,
} from './group-a/messages/answer';
export {
  CreateCardRefV4Request,
  CREATE_CARD_REF_V4_FIELDS,
  type CreateCardRefV4Response,
  CreateCardRefRequest,
  CREATE_CARD_REF_FIELDS,
  type CreateCardRefResponse,
} from './group-a/messages/create-card-ref';
export { CaptureRequest, ReturnRequest, VoidRequest } from './group-a/messages/follow-up.request';
export { GetCardInfoRequest, GET_CARD_INFO_FIELDS, type GetCardInfoResponse } from './group-a/messages/get-card-info';
export {
  CARD_INFO_CONTROL_LENGTH_MAX,
  CARDREFID_LENGTH_MAX,
  CLIENT_ORDERID_LENGTH_MAX,
  COMMENT_LENGTH_MAX,
  CONTROL_LENGTH_MAX,
  GATEWAY_ID_LENGTH_MAX,
  LOGIN_LENGTH_MAX,
  LONG_TEXT_BYTES_MAX,
} from './group-a/messages/limits';
export {
  MakeRebillSaleRequest,
  RECURRENT_INITIATORS,
  RECURRENT_SCENARIOS,
  type RecurrentInitiator,
  type RecurrentScenario,
} from './group-a/messages/make-rebill-sale.request';
export { OrderStatusV4Request, OrderStatusRequest } from './group-a/messages/order-status.request';
export { ORDER_STATUS_FIELDS, type OrderStatusField, type OrderStatusResponse } from './group-a/messages/order-status.response';
export {
  GROUP_A_ANSWERS,
  GROUP_A_KEYS,
  GROUP_A_OPERATIONS,
  GROUP_A_PATHS,
  type GroupAAnswerKind,
  type GroupAMessage,
  type GroupAOperationKey,
  type GroupAOperationName,
  type GroupAOperationRow,
  type GroupAProof,
  SIGNED_TEXTS,
  type SignedText,
} from './group-a/operations';
export {
  isWebhookAuthentic,
  isWebhookSecret,
  WEBHOOK_SECRET_BYTES_MAX,
  WEBHOOK_SECRET_BYTES_MIN,
  WEBHOOK_TOLERANCE_MS,
  webhookHeaders,
  type WebhookHeaders,
} from './group-a/webhook-signature';
export {
  ASSIGNED_ID_LENGTH_MAX,
  BIN_LENGTH,
  CLIENT_CARD_ID_LENGTH_MAX,
  DEVICE_BODY_BYTES_MAX,
  DEVICE_TEXT_LENGTH_MAX,
  ENDPOINT_ID_LENGTH_MAX,
  INVOICE_ID_LENGTH_MAX,
  JSON_DEPTH_MAX,
  LIST_LENGTH_MAX,
  MERCHANT_SERVER_BODY_BYTES_MAX,
  OPEN_TEXT_LENGTH_MAX,
  SESSION_TEXT_LENGTH_MAX,
  SESSION_TEXT_LENGTH_MIN,
  SESSION_TOKEN_LENGTH_MAX,
  SESSION_TOKEN_LENGTH_MIN,
  SHORT_DEVICE_BODY_BYTES_MAX,
} from './group-b/device-limits';
export {
  DEVICE_OPERATIONS,
  type DeviceOperation,
  GATEWAY_ROUTES,
  gatewayPath,
  MERCHANT_ROUTES,
  merchantPath,
  pathSegment,
  type TransactionNamed,
} from './group-b/paths';
export {
  GROUP_B_OPERATIONS,
  type GroupBCause,
  type GroupBMessage,
  type GroupBOperation,
  type GroupBOperationName,
} from './group-b/device-operations';
export {
  deviceErrorBody,
  type DeviceErrorBody,
  type DeviceFailure,
  makeErrorCode,
  type DeviceErrorCause,
  HTTP_STATUS_OF_CAUSE,
  MERCHANT_CAUSES,
  type MerchantCause,
  PERFORM_CAUSES,
  type PerformCause,
  STATUS_CAUSES,
  type StatusCause,
} from './group-b/error-body';
export { readJson, readJsonText } from './group-b/json-reader';
export { holdsCardNumberOf } from './group-b/members/member-table';
export {
  AcceptedResponse,
  PerformSaleRequest,
  PerformTransferRequest,
  PerformVerificationRequest,
  RandomSumResponse,
} from './group-b/messages/perform';
export {
  AccessTokenResponse,
  AccessSession,
  CheckedSession,
  CheckSession,
  IssuedSession,
  NotificationSession,
  RunningSession,
  SignedSession,
  TokenSession,
  SessionRequest,
} from './group-b/messages/session';
export {
  CardBin,
  Expiry,
  Holder,
  KnownCard,
  MappedCard,
  PayingCard,
  ReceivingCard,
  CheckedDestination,
  CheckedSource,
  DestinationOfFunds,
  FundsToCheck,
  SourceOfFunds,
  ClientReference,
  MappedReference,
  PayingReference,
  ServerReference,
} from './group-b/messages/reference';
export {
  CheckSaleRequest,
  CheckTransferRequest,
  CheckVerificationRequest,
  CheckSaleResponse,
  CheckTransferResponse,
  CheckVerificationResponse,
  Invoiced,
} from './group-b/messages/check';
export { ClientCard, ClientIdsRequest, ClientIdsResponse, RandomSumRequest, ReadSum } from './group-b/messages/client-ids';
export {
  Device,
  InitiateConsumer,
  KnownConsumer,
  NamedConsumer,
  NamedDevice,
  PerformConsumer,
  VerifiedConsumer,
} from './group-b/messages/consumer';
export {
  MerchantError,
  MerchantErrorResponse,
  PerformError,
  PerformErrorResponse,
  StatusError,
  StatusErrorResponse,
} from './group-b/messages/error.response';
export {
  InitiateSaleRequest,
  InitiateTransferRequest,
  InitiateVerificationRequest,
  InitiateResponse,
  InitiateTransferResponse,
  Rates,
} from './group-b/messages/initiate';
export { SaleNotification, TransferNotification, VerificationNotification, NotificationResponse } from './group-b/messages/notification';
export { Billing, BillingAddress, Location, OrderDetails } from './group-b/messages/order-details';
export {
  DEVICE_STATES,
  type DeviceState,
  RANDOM_SUM_AUTH_STATUSES,
  type RandomSumAuthStatus,
  SaleStatusResponse,
  type Secure3DAuthStatus,
  SECURE_3D_AUTH_STATUSES,
  TRANSFER_STATES,
  TransferFee,
  type TransferState,
  TransferStatusResponse,
  VerificationStatusResponse,
} from './group-b/messages/status.response';
export {
  AmountTransaction,
  CheckedTransaction,
  CurrencyTransaction,
  StatusTransaction,
  TransferTransaction,
} from './group-b/messages/transaction';
export { readDeviceBody, readDeviceMessage } from './group-b/read-device-message';
export {
  checkSaleSignature,
  type CheckSaleSigned,
  type CheckSigned,
  checkTransferSignature,
  type CheckTransferSigned,
  checkVerificationSignature,
  isDeviceSignature,
  notificationSignature,
  type NotificationSigned,
  paymentSignature,
  type PaymentSigned,
  verificationSignature,
  type VerificationSigned,
} from './group-b/signatures';
export { type ChosenLengths, FIXED_LENGTHS, isAmbiguousSignedText, WIRE_LENGTHS } from './group-b/signed-text-ambiguity';
export { answerSchema, deviceSchema, formSchema, type JsonSchema } from './message-schema';
export { escapeHtml, htmlPage, inlineSource, PAGE_STYLE } from './pages/page';
export {
  autoSubmittingPage,
  FOREIGN_PAGE_POLICY,
  FORM_PAGE_POLICY,
  type FormPage,
  type FramedPage,
  framedPage,
  linkHtml,
  messagePage,
  type MessagePage,
  PAGE_POLICY,
  type PageLink,
} from './pages/payer-page';
export { type Receipt, RECEIPT_POLICY, type ReceiptOperation, receiptPage } from './pages/receipt-page';
export { cardNumberOf, cardNumberSearch, holdsCardNumber } from './shared/card-number-echo';
export {
  CONTROL_KEY_BYTES_MIN,
  type ControlKey,
  controlKeyBytes,
  decoyControlKey,
  isControlKey,
  isSameHex,
  isSameSecret,
} from './shared/control-key';
export {
  formatInstant,
  formatRequestAmount,
  parseRequestAmount,
  REQUEST_AMOUNT_LENGTH_MAX,
  unpaddedAmount,
  isWebAddress,
  WEB_ADDRESS_LENGTH_MAX,
  trimmed,
  trimmedEnd,
  WHITE_SPACE,
} from './shared/request-texts';
export { errorCatalogueMarkdown, type RefusalEntry, type RefusalName, REFUSALS, type RefusalType } from './shared/errors';
export { STATES } from './shared/validation/field-rules';
export {
  declareField,
  fieldsOf,
  lineageOf,
  type MessageClass,
  type MessageField,
  PlacedAfter,
  type FieldRefusal,
  type Validated,
} from './shared/validation/message-fields';
