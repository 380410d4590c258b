import { IssuedReferences, RegisterCardHandler } from '@app/card-registration';
import { CARD_VAULT } from '@app/card-vault/card-vault.tokens';
import { ACCOUNTS, CONFIGURATION } from '@app/configuration/configuration.module';
import { EGRESS_POLICY } from '@app/http/client/egress.module';
import { RequestDeadlines, SerialNumbers } from '@app/event-store';
import { IS_LOG_SHARED, REQUEST_EVENT_STORE } from '@app/event-store/event-store.tokens';
import { GATES } from '@app/gateway-adapters/gateway-adapters.tokens';
import { BOOT_ID, CLOCK, FAILPOINTS, SCHEDULER } from '@app/kernel/injection';
import { OrderSwitches, RequestFollowUpHandler } from '@app/orders';
import { CurrentOrderReader } from '@app/read-models/queries';
import { AcceptPaymentHandler } from '@app/payment';
import { ChargeRegisteredCardHandler } from '@app/recurring';
import { PayerPages } from '@app/orders/http';
import { noRateLimit, DecoyKeys } from '@app/http/request';
import { RATE_LIMIT, EXCHANGE_LISTENER } from '@app/http/request/request.tokens';
import type { Given } from './given-parts';

/** Empty values for every part from other modules; using one fails. */
export const unusedParts = (own: Given = []): Given => [
  ...[
    ACCOUNTS, BOOT_ID, CARD_VAULT, CLOCK, EGRESS_POLICY, FAILPOINTS, GATES, REQUEST_EVENT_STORE, EXCHANGE_LISTENER, SCHEDULER,
    AcceptPaymentHandler, ChargeRegisteredCardHandler, CurrentOrderReader, IssuedReferences, DecoyKeys, PayerPages, RegisterCardHandler,
    RequestDeadlines, RequestFollowUpHandler, SerialNumbers,
  ].map((part) => [part, {}] as const),
  [CONFIGURATION, { publicBaseUrl: 'https://gateway.example', threeDSecure: { payerMs: 900_000 } }],
  [IS_LOG_SHARED, false],
  [OrderSwitches, { start: () => Promise.resolve(), stop: () => undefined }],
  [RATE_LIMIT, noRateLimit],
  ...own,
]; // prettier-ignore
