export {
  AUTHORIZATION_LENGTH_MAX,
  OAUTH_METHOD,
  OAUTH_VERSION,
  OAUTH_WINDOW_MS,
  type OauthClaim,
  parseAuthorization,
  writeAuthorization,
} from './group-a/authorization-header';
export { oauthBaseString, type OauthParameter, type OauthTarget } from './group-a/base-string';
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
} from './group-a/control';
export {
  type AnswerBody,
  type AnswerPairs,
  parseFormAnswer,
  writeAnswer,
  writeFormAnswer,
  writeJsonAnswer,
} from './group-a/forms/answer-codec';
export { FORM_BYTES_MAX, formBytesMax, inKib, SHORT_FORM_BYTES_MAX } from './group-a/forms/body-limits';
export { CARD_NUMBER_FIELD, cardNumberIn } from './group-a/forms/validate-message';
export { Form } from './group-a/forms/form';
export {
  encodeForm,
  malformed,
  type MalformedForm,
  type MalformedReason,
  PARAMETERS_MAX,
  type ParsedForm,
  parseForm,
} from './group-a/forms/form-codec';
export { contentTypeRefusal, FORM_ANSWER_TYPE, FORM_REQUEST_TYPE, JSON_ANSWER_TYPE, wantsJson } from './group-a/forms/media-types';
export { decodeComponent, type DecodingFault, encodeComponent } from './group-a/forms/percent-encoding';
export { amountsOf, readAmount, readClientOrderId, validateMessage } from './group-a/forms/validate-message';
export { IDEMPOTENCY_KEY_HEADER, IDEMPOTENCY_KEY_LENGTH_MAX, readIdempotencyKey } from './group-a/idempotency-key';
export { AccountVerificationRequest } from './group-a/messages/account-verification.request';
export { type AnswerOf, inWireOrder } from './group-a/messages/answer';
export { ASYNC_FIELDS, type AsyncResponse } from './group-a/messages/async.response';
export { cardOf } from './group-a/messages/card-of';
export { CreateCardRefV4Request } from './group-a/messages/create-card-ref-v4.request';
export { CREATE_CARD_REF_V4_FIELDS, type CreateCardRefV4Response } from './group-a/messages/create-card-ref-v4.response';
export { CreateCardRefRequest } from './group-a/messages/create-card-ref.request';
export { CREATE_CARD_REF_FIELDS, type CreateCardRefResponse } from './group-a/messages/create-card-ref.response';
export { CaptureRequest, ReturnRequest, VoidRequest } from './group-a/messages/follow-up.request';
export { GetCardInfoRequest } from './group-a/messages/get-card-info.request';
export { GET_CARD_INFO_FIELDS, type GetCardInfoResponse } from './group-a/messages/get-card-info.response';
export { InitialOrderRequest, PHONE_LENGTH_MAX } from './group-a/messages/initial-order.request';
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
export { OrderStatusV4Request } from './group-a/messages/order-status-v4.request';
export { OrderStatusRequest } from './group-a/messages/order-status.request';
export { ORDER_STATUS_FIELDS, type OrderStatusField, type OrderStatusResponse } from './group-a/messages/order-status.response';
export { type Refusal, REFUSAL_FIELDS, refusalResponse, type RefusalResponse } from './group-a/messages/refusal.response';
export { SaleRequest } from './group-a/messages/sale.request';
export { oauthDecoded, oauthEncoded } from './group-a/oauth-encoding';
export {
  GROUP_A_KEYS,
  GROUP_A_OPERATIONS,
  GROUP_A_PATHS,
  type GroupAAnswerKind,
  type GroupAMessage,
  type GroupAOperationKey,
  type GroupAOperationName,
  type GroupAOperationRow,
  type GroupAProof,
  type SignedText,
} from './group-a/operations';
export { decoyOauthKey, isOauthSigned, isOauthTimely, type OauthSigner, signedAuthorization } from './group-a/rsa-signature';
export { fieldsAsDecoded, type SignedFields } from './group-a/signed-fields';
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
export { DEVICE_OPERATIONS, type DeviceOperation } from './group-b/device-operation';
export {
  GROUP_B_OPERATIONS,
  type GroupBCause,
  type GroupBMessage,
  type GroupBOperation,
  type GroupBOperationName,
} from './group-b/device-operations';
export { deviceErrorBody, type DeviceErrorBody, type DeviceFailure, makeErrorCode } from './group-b/error-body';
export {
  type DeviceErrorCause,
  HTTP_STATUS_OF_CAUSE,
  MERCHANT_CAUSES,
  type MerchantCause,
  PERFORM_CAUSES,
  type PerformCause,
  STATUS_CAUSES,
  type StatusCause,
} from './group-b/error-causes';
export { readJson, readJsonText } from './group-b/json-reader';
export { holdsCardNumberOf } from './group-b/members/own-card-number';
export { AcceptedResponse } from './group-b/messages/accepted.response';
export { AccessTokenResponse } from './group-b/messages/access-token.response';
export { CardBin, Expiry, Holder, KnownCard, MappedCard, PayingCard, ReceivingCard } from './group-b/messages/card';
export { CheckSaleRequest, CheckTransferRequest, CheckVerificationRequest } from './group-b/messages/check.request';
export { CheckSaleResponse, CheckTransferResponse, CheckVerificationResponse } from './group-b/messages/check.response';
export { ClientCard, ClientIdsRequest, ClientIdsResponse } from './group-b/messages/client-ids';
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
export { CheckedDestination, CheckedSource, DestinationOfFunds, FundsToCheck, SourceOfFunds } from './group-b/messages/funds';
export { InitiateSaleRequest, InitiateTransferRequest, InitiateVerificationRequest } from './group-b/messages/initiate.request';
export { InitiateResponse, InitiateTransferResponse, Rates } from './group-b/messages/initiate.response';
export { Invoiced } from './group-b/messages/invoiced';
export { SaleNotification, TransferNotification, VerificationNotification } from './group-b/messages/notification.request';
export { NotificationResponse } from './group-b/messages/notification.response';
export { Billing, BillingAddress, Location, OrderDetails } from './group-b/messages/order-details';
export { PerformSaleRequest, PerformTransferRequest, PerformVerificationRequest } from './group-b/messages/perform.request';
export { RandomSumRequest, ReadSum } from './group-b/messages/random-sum.request';
export { RandomSumResponse } from './group-b/messages/random-sum.response';
export { ClientReference, MappedReference, PayingReference, ServerReference } from './group-b/messages/reference';
export {
  AccessSession,
  CheckedSession,
  CheckSession,
  IssuedSession,
  NotificationSession,
  RunningSession,
  SignedSession,
  TokenSession,
} from './group-b/messages/session';
export { SessionRequest } from './group-b/messages/session.request';
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
export { GATEWAY_ROUTES, gatewayPath, MERCHANT_ROUTES, merchantPath, pathSegment, type TransactionNamed } from './group-b/paths';
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
export { escapeHtml, htmlPage } from './pages/html';
export { inlineSource, PAGE_STYLE } from './pages/page-style';
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
export { CONTROL_KEY_BYTES_MIN, type ControlKey, controlKeyBytes, decoyControlKey, isControlKey } from './shared/control-key';
export { formatInstant } from './shared/dates';
export { errorCatalogueMarkdown, type RefusalEntry, type RefusalName, REFUSALS, type RefusalType } from './shared/errors';
export { formatRequestAmount, parseRequestAmount, REQUEST_AMOUNT_LENGTH_MAX, unpaddedAmount } from './shared/request-amount';
export { isSameHex, isSameSecret } from './shared/same-secret';
export { STATES } from './shared/states';
export { declareField, fieldsOf, lineageOf, type MessageClass, type MessageField, PlacedAfter } from './shared/validation/message-fields';
export type { FieldRefusal, Validated } from './shared/validation/validated';
export { isWebAddress, WEB_ADDRESS_LENGTH_MAX } from './shared/web-address';
export { trimmed, trimmedEnd, WHITE_SPACE } from './shared/white-space';
