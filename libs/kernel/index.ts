export { type AnyRejection, type Decider, type Decision, isRejection, type NonEmpty, unreachable } from './decider';
export { BoundedMap } from './system/bounded-map';
export { byDeadline, type Deadline, EndableDeadline, waitAtMost } from './system/deadline';
export { type Failpoints, KILL_POINTS, type KillPoint, noFailpoints } from './system/failpoints';
export { privateFolderProblem, secretFileProblem } from './system/file-mode';
export { isoInstant, type Weekday, weekdayOf, WEEKDAYS } from './system/weekday';
export { KeyedMutex } from './system/keyed-mutex';
export {
  addMs,
  type Clock,
  type Ids,
  type Instant,
  type Monotonic,
  type Random,
  type Scheduled,
  type Scheduler,
  sleep,
} from './system/ports';
export { systemClock, systemIds, systemMonotonic, systemRandom, systemScheduler } from './system/system';
export { TimeLimits } from './system/time-limits';
export { parseUrl } from './system/url';
export {
  type Brand,
  type AttemptKey,
  type BootId,
  type CardHandle,
  type CardRefId,
  cardRefIdFrom,
  type CardUid,
  type ClientOrderId,
  type ContentDigest,
  type EmailDigest,
  type EndpointGroupId,
  type EndpointId,
  type GateAlias,
  isCardRefId,
  isOrderId,
  isOrderNumber,
  makeOrderId,
  type MerchantLogin,
  ORDER_KINDS,
  ORDER_NUMBER_LENGTH,
  type OrderId,
  type OrderIds,
  type OrderKind,
  type OrderKindLetter,
  orderKindLetter,
  type Sealed,
  type SerialNumber,
  textOrderKind,
} from './values/ids';
export {
  type Card,
  CARD_BRANDS,
  type CardBrand,
  type DestinationCard,
  isLuhnValid,
  type MaskedCard,
  type MaskedReceivingCard,
} from './values/card';
export { alpha2Of, alpha3Of, COUNTRIES, CURRENCIES } from './values/country';
export {
  AMOUNT_GRAMMAR,
  AMOUNT_LENGTH_MAX,
  commissionOf,
  type CommissionRate,
  type Currency,
  formatAmount,
  isSameMoney,
  type Money,
  money,
  parseAmount,
} from './values/money';
export { OrderNumbers, orderNumbersOf } from './values/order-numbers';
export { withPlainDigits } from './values/plain-digits';
export { present, type Present } from './values/present';
export { printable } from './values/printable';
export { RESULT_CODES, resultCode, type ResultCode, resultMessage, type ResultName } from './values/result-codes';
export { Secret } from './values/secret';
