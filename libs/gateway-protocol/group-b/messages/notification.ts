import { IsOptional } from 'class-validator';
import { Holds } from '../members/member-decorators';
import { CardBin, MappedCard, MappedReference } from './reference';
import { NamedConsumer } from './consumer';
import { NotificationSession, CheckedSession } from './session';
import { Invoiced } from './check';

/** Members of the three card mapping notifications to the merchant server. They have no invoiceId; the token identifies the invoice (interface, section 4.8). */
abstract class CardMappingNotification {
  @Holds(NamedConsumer)
  readonly consumer!: NamedConsumer;

  @Holds(NotificationSession)
  readonly session!: NotificationSession;
}

export class VerificationNotification extends CardMappingNotification {
  @Holds(MappedReference)
  readonly reference!: MappedReference;

  @Holds(CardBin)
  readonly sourceCard!: CardBin;
}

export class SaleNotification extends CardMappingNotification {
  @IsOptional()
  @Holds(MappedCard)
  readonly sourceCard?: MappedCard;
}

export class TransferNotification extends SaleNotification {
  @IsOptional()
  @Holds(MappedCard)
  readonly destinationCard?: MappedCard;
}

/** How the merchant server acknowledges a card mapping notification (interface, section 4.8). */
export class NotificationResponse extends Invoiced {
  @Holds(CheckedSession)
  readonly session!: CheckedSession;
}
