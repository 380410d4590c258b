/** An OpenAPI document that a port offers. */
export interface OfferedDocument {
  /** The name of the file in the folder of the documents. */
  readonly file: string;
  readonly title: string;
  /** The address at which a browser tries operations out: absolute, or a path of the port. Absent where the document's own one is right. */
  readonly server?: string;
}
