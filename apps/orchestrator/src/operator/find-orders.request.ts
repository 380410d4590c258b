import { Transform } from 'class-transformer';
import { IsInt, Length, Matches, Max, Min } from 'class-validator';
import { FOUND_LIMIT_MAX } from '@app/read-models/queries';
import { AsWholeNumber } from './transforms';
import { NotOnRecord } from './card-numbers-in-texts';
import { LOGIN, MayBeAbsent } from './operator.requests';

const SEARCH_LENGTH_MAX = 256;
const AFTER_LENGTH_MAX = 600;
const A_LIMIT = `limit must be a whole number from 1 to ${FOUND_LIMIT_MAX}`;

/** The orders that an identifier of any kind names. */
export class FindOrdersRequest {
  /** What a person looks for may be anything. */
  @NotOnRecord()
  @Transform(({ value }: { readonly value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @Length(1, SEARCH_LENGTH_MAX, { message: `q must be an identifier of 1 to ${SEARCH_LENGTH_MAX} characters` })
  readonly q!: string;

  /** Only orders of this merchant. */
  @MayBeAbsent()
  @Matches(LOGIN, { message: 'merchant must be a login' })
  readonly merchant?: string;

  /** Orders of a page. */
  @MayBeAbsent()
  @AsWholeNumber()
  @IsInt({ message: A_LIMIT })
  @Min(1, { message: A_LIMIT })
  @Max(FOUND_LIMIT_MAX, { message: A_LIMIT })
  readonly limit?: number;

  /** The `next` of the page before. */
  @MayBeAbsent()
  @NotOnRecord()
  @Length(1, AFTER_LENGTH_MAX, { message: 'after must be what the page before told' })
  readonly after?: string;
}
