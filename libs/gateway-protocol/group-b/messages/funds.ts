import { IsOptional } from 'class-validator';
import { Holds } from '../members/member-decorators';
import { KnownCard, PayingCard, ReceivingCard } from './card';
import { ClientReference, PayingReference, ServerReference } from './reference';

/** Exactly one of card and reference (interface, section 4.5). */
export class SourceOfFunds {
  @IsOptional()
  @Holds(PayingCard)
  readonly card?: PayingCard;

  @IsOptional()
  @Holds(PayingReference)
  readonly reference?: PayingReference;
}

/** Exactly one of card and reference (interface, section 4.5). */
export class DestinationOfFunds {
  @IsOptional()
  @Holds(ReceivingCard)
  readonly card?: ReceivingCard;

  @IsOptional()
  @Holds(ClientReference)
  readonly reference?: ClientReference;
}

/** Funds of a check request, where perform named a reference (interface, section 4.6). */
export class FundsToCheck {
  @IsOptional()
  @Holds(ClientReference)
  readonly reference?: ClientReference;
}

/** Funds of the answer to a check (interface, section 4.6). */
export class CheckedSource {
  @IsOptional()
  @Holds(ServerReference)
  readonly reference?: ServerReference;

  @IsOptional()
  @Holds(KnownCard)
  readonly card?: KnownCard;
}

/** Funds of the answer to a check of a transfer (interface, section 4.6). */
export class CheckedDestination {
  @IsOptional()
  @Holds(ReceivingCard)
  readonly card?: ReceivingCard;

  @IsOptional()
  @Holds(ServerReference)
  readonly reference?: ServerReference;
}
