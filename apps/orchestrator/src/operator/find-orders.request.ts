import { Transform } from 'class-transformer';
import { Length } from 'class-validator';
import { NotOnRecord } from './card-numbers-in-texts';
import { MayBeAbsent } from './operator.requests';

const SEARCH_LENGTH_MAX = 256;
const AFTER_LENGTH_MAX = 600;

/** The orders that an identifier of any kind names. */
export class FindOrdersRequest {
  /** What a person looks for may be anything. */
  @NotOnRecord()
  @Transform(({ value }: { readonly value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @Length(1, SEARCH_LENGTH_MAX, { message: `q must be an identifier of 1 to ${SEARCH_LENGTH_MAX} characters` })
  readonly q!: string;

  /** The `next` of the page before. */
  @MayBeAbsent()
  @NotOnRecord()
  @Length(1, AFTER_LENGTH_MAX, { message: 'after must be what the page before told' })
  readonly after?: string;
}
