import { IsOptional } from 'class-validator';
import { Holds, HoldsOneOf } from '../members/member-decorators';
import { PayingCard, DestinationOfFunds, SourceOfFunds } from './reference';
import { PerformConsumer } from './consumer';
import { Billing, Location, OrderDetails } from './order-details';
import { SignedSession, TokenSession } from './session';
import { AmountTransaction, CurrencyTransaction } from './transaction';
import { Invoiced } from './check';

/** Members of the three perform requests, which the app sends to the gateway (interface, section 4.5). */
abstract class PerformRequest {
  @Holds(PerformConsumer)
  readonly consumer!: PerformConsumer;

  @Holds(SignedSession)
  readonly session!: SignedSession;

  @IsOptional()
  @Holds(Location)
  readonly location?: Location;

  @IsOptional()
  @Holds(Billing)
  readonly billing?: Billing;

  @IsOptional()
  @Holds(OrderDetails)
  readonly order?: OrderDetails;
}

export class PerformVerificationRequest extends PerformRequest {
  @Holds(CurrencyTransaction)
  readonly transaction!: CurrencyTransaction;

  @Holds(PayingCard)
  readonly sourceCard!: PayingCard;
}

export class PerformSaleRequest extends PerformRequest {
  @Holds(AmountTransaction)
  readonly transaction!: AmountTransaction;

  @HoldsOneOf(SourceOfFunds, 'card', 'reference')
  readonly sourceOfFunds!: SourceOfFunds;
}

export class PerformTransferRequest extends PerformSaleRequest {
  @HoldsOneOf(DestinationOfFunds, 'card', 'reference')
  readonly destinationOfFunds!: DestinationOfFunds;
}

/** Answer to the three perform operations and of complete transfer (interface, section 4.5). */
export class AcceptedResponse extends Invoiced {
  @Holds(TokenSession)
  readonly session!: TokenSession;
}

/** The merchant server took note of the sum; the interface leaves this message open. */
export class RandomSumResponse extends Invoiced {}
