import { IsOptional } from 'class-validator';
import { Holds, Text, SumCentis } from '../members/member-decorators';
import { CardBin, ClientReference } from './reference';
import { NamedConsumer } from './consumer';
import { CLIENT_CARD_ID_LENGTH_MAX } from '../device-limits';
import { Invoiced } from './check';
import { AccessSession } from './session';

/** The app asks its merchant server how it may name its cards (protocol decisions, section 8). */
export class ClientIdsRequest {
  @Holds(NamedConsumer)
  readonly consumer!: NamedConsumer;

  @Holds(AccessSession)
  readonly session!: AccessSession;
}

export class ClientCard extends CardBin {
  @Holds(ClientReference)
  readonly reference!: ClientReference;
}

/** The cards of one invoice, as far as they were mapped. */
export class ClientIdsResponse extends Invoiced {
  @IsOptional()
  @Holds(ClientCard)
  readonly sourceCard?: ClientCard;

  @IsOptional()
  @Holds(ClientCard)
  readonly destinationCard?: ClientCard;

  /** The clientCardId of sourceCard, repeated because some apps read it here. */
  @IsOptional()
  @Text(1, CLIENT_CARD_ID_LENGTH_MAX)
  readonly sourceCardRefId?: string;

  /** The clientCardId of destinationCard. */
  @IsOptional()
  @Text(1, CLIENT_CARD_ID_LENGTH_MAX)
  readonly destinationCardRefId?: string;
}

export class ReadSum {
  /** Minor units. */
  @SumCentis()
  readonly randomSumCentis!: number;
}

/** The app sends its merchant server the random sum that the cardholder read on the statement; the interface leaves this message open. */
export class RandomSumRequest extends ClientIdsRequest {
  @Holds(ReadSum)
  readonly transaction!: ReadSum;
}
