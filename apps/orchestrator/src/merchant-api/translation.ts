import type { AdmittedRequest } from './admitted-request';
import type { Accepted, Answer } from './answers/answer';

/** A request of one operation in the words of its context, and what the context decided in the words of the interface. */
export interface Translation<Message> {
  perform(request: AdmittedRequest<Message>): Promise<Answer>;
}

/** What the log holds of a request for a change. */
export interface ExistingAnswer {
  readonly accepted: Accepted;
  /** False where an earlier request made it, which this one only repeats. */
  readonly isOfThisRequest: boolean;
}

/** Of an operation that changes something, and so honours an Idempotency-Key. */
export interface KeyedTranslation<Message> extends Translation<Message> {
  /** What the log holds of a request with this serial, or of the order that it names. Undefined where there is nothing yet. */
  existing(request: AdmittedRequest<Message>): Promise<ExistingAnswer | undefined>;
}
