import type { AnyEvent, StoredEvent } from '@app/event-store';
import { uniqueClaimCodec, serialCodec, type CatalogueEntry } from '@app/event-store';
import { cardRegistrationCodec } from '@app/card-registration';
import { configurationChangeCodec, configurationRecordCodec, endedSessionsCodec, operatorAuditCodec } from '@app/investigation/record';
import { deliveryCodec } from '@app/callbacks';
import { deviceVerificationCodec } from '@app/device-verification';
import { approvalCodec } from '@app/investigation/approvals';
import { erasureCodec } from '@app/investigation/erasure';
import { orderHoldsCodec, randomSumCodec, routingCodec, screeningCodec, velocityCodec } from '@app/orders';
import { paymentCodec } from '@app/payment';
import { reconciliationCodec } from '@app/reconciliation';
import { recurringCodec } from '@app/recurring';
import { transferCodec } from '@app/transfer';

interface AnyCodec {
  readonly category: string;
  decode(stored: StoredEvent): AnyEvent;
  describe(): readonly CatalogueEntry[];
}

export const EVENT_CODECS: readonly AnyCodec[] = [
  paymentCodec,
  recurringCodec,
  deviceVerificationCodec,
  transferCodec,
  cardRegistrationCodec,
  deliveryCodec,
  routingCodec,
  orderHoldsCodec,
  screeningCodec,
  velocityCodec,
  randomSumCodec,
  uniqueClaimCodec,
  serialCodec,
  operatorAuditCodec,
  reconciliationCodec,
  erasureCodec,
  approvalCodec,
  configurationRecordCodec,
  configurationChangeCodec,
  endedSessionsCodec,
];

const BY_CATEGORY: ReadonlyMap<string, AnyCodec> = new Map(EVENT_CODECS.map((codec) => [codec.category, codec]));

/**
 * Undefined for a category that this release does not know.
 * @throws UndecodableEvent
 */
export const decodeAny = (stored: StoredEvent): AnyEvent | undefined =>
  BY_CATEGORY.get(stored.stream.slice(0, stored.stream.indexOf('-')))?.decode(stored);
