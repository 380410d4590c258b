import { IsOptional } from 'class-validator';
import { CardNumber, Holds, SecurityCode, Text, TextUnless, WholeNumber } from '../members/member-decorators';
import { Redacted } from '../members/redacted';
import { MappedReference } from './reference';

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
