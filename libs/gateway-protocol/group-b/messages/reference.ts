import { IsOptional } from 'class-validator';
import { CLIENT_CARD_ID_LENGTH_MAX } from '../device-limits';
import { SecurityCode, SignedText, Text, WholeNumber } from '../members/member-decorators';
import { Redacted } from '../members/redacted';

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
