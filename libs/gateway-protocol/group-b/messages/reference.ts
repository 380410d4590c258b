import { IsOptional } from 'class-validator';
import { CLIENT_CARD_ID_LENGTH_MAX } from '../device-limits';
import { SecurityCode, SignedText, Text, WholeNumber, Redacted, CardNumber, Holds, TextUnless } from '../members/member-decorators';

/** A mapped card as the app names it (interface, section 2.6). */
export class ClientReference {
  @Text(1, CLIENT_CARD_ID_LENGTH_MAX)
  readonly clientCardId!: string;
}

/** The same where it pays; the code may be absent where the gate can do without (protocol decisions, section 8). */
@Redacted('securityCode')
export class PayingReference extends ClientReference {
  @IsOptional()
  @SecurityCode()
  readonly securityCode?: string;
}

/** A mapped card as the merchant server names it (interface, section 2.6). */
export class ServerReference {
  @SignedText(1, 64)
  readonly serverCardId!: string;
}

/** The gateway's mapping of a card (interface, section 4.8). */
export class MappedReference extends ServerReference {
  @WholeNumber(0, Number.MAX_SAFE_INTEGER)
  readonly uniqueReferenceCardId!: number;
}

const NAME_LENGTH_MAX = 50;

export class Expiry {
  @WholeNumber(1, 12)
  readonly month!: number;

  /** Four digits. */
  @WholeNumber(1_000, 9_999)
  readonly year!: number;
}

/** First and last name, or both as printed on the card (interface, section 2.6). */
export class Holder {
  @TextUnless('printedName', 1, NAME_LENGTH_MAX)
  readonly firstName?: string;

  @TextUnless('printedName', 1, NAME_LENGTH_MAX)
  readonly lastName?: string;

  @IsOptional()
  @Text(1, NAME_LENGTH_MAX)
  readonly printedName?: string;
}

/** The card that pays, or is verified (interface, section 4.5). */
@Redacted('number', 'securityCode')
export class PayingCard {
  @Holds(Expiry)
  readonly expiry!: Expiry;

  @Holds(Holder)
  readonly holder!: Holder;

  @CardNumber()
  readonly number!: string;

  @SecurityCode()
  readonly securityCode!: string;
}

/** The card that receives (interface, section 4.5). */
@Redacted('number')
export class ReceivingCard {
  @CardNumber()
  readonly number!: string;
}

/** The source card in a merchant server's answer to a check (interface, section 4.6). */
@Redacted('number')
export class KnownCard {
  @IsOptional()
  @Holds(Expiry)
  readonly expiry?: Expiry;

  @IsOptional()
  @Holds(Holder)
  readonly holder?: Holder;

  @IsOptional()
  @CardNumber()
  readonly number?: string;
}

/** A card by its BIN alone (interface, section 4.8). */
export class CardBin {
  @WholeNumber(0, Number.MAX_SAFE_INTEGER)
  readonly bin!: number;
}

/** A card and what it was mapped to (interface, section 4.8). */
export class MappedCard extends CardBin {
  @Holds(MappedReference)
  readonly reference!: MappedReference;
}

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
