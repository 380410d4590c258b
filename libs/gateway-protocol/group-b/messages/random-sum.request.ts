import { Holds, SumCentis } from '../members/member-decorators';
import { ClientIdsRequest } from './client-ids';

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
