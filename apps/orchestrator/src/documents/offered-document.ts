/** A document as it is offered: where its operations are asked from the browser that shows it. */
export interface OfferedDocument {
  /** In the folder of the documents. */
  readonly file: string;
  readonly title: string;
  /** Absolute, or a path of the port that offers the document; absent: as the document has it. */
  readonly server?: string;
}
