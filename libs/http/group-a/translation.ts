import type { AdmittedRequest } from './admitted-request';
import type { Accepted, Answer } from './answer';

/** Turns a request of one operation into a command of its context, and the context's decision into an answer of the interface. */
export interface Translation<Message> {
  perform(request: AdmittedRequest<Message>): Promise<Answer>;
}

/** The answer that the log already holds for a request. */
export interface ExistingAnswer {
  readonly accepted: Accepted;
  /** False where an earlier request made the order that this one repeats. */
  readonly isOfThisRequest: boolean;
}

/** The translation of an operation that changes something, and so honours an Idempotency-Key (protocol decisions, D10.7). */
export interface KeyedTranslation<Message> extends Translation<Message> {
  /** Finds what a request with this serial, or an earlier one for the same order, left in the log. Undefined where there is nothing yet. */
  findExisting(request: AdmittedRequest<Message>): Promise<ExistingAnswer | undefined>;
}
