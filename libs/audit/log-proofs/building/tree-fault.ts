/** Why a log does not fit the tree or the checkpoints that were made of it. */
export type TreeFault =
  /** An event is not the one that the tree holds in its place. */
  | {
      readonly kind: 'event-differs';
      readonly index: number;
      readonly position: string;
      readonly stream: string;
      readonly revision: number;
    }
  /** An event cannot be read: its row does not fit its checksum. */
  | { readonly kind: 'event-unreadable'; readonly position: string; readonly stream: string; readonly revision: number }
  /** The log ends before the tree does. */
  | { readonly kind: 'log-shorter'; readonly treeSize: number }
  /** A signed checkpoint has another root than the tree has at its size. */
  | { readonly kind: 'checkpoint-differs'; readonly place: string; readonly size: number }
  /** The key signed a log of another name at a place of this one's. */
  | { readonly kind: 'other-log'; readonly place: string; readonly origin: string; readonly size: number }
  /** A place of this log's checkpoints holds such as another key signed. */
  | { readonly kind: 'other-key'; readonly place: string; readonly size: number }
  /** The file with the name of the log is damaged. */
  | { readonly kind: 'name-unreadable'; readonly file: string }
  /** A signed checkpoint was made of more events than the log has. */
  | { readonly kind: 'checkpoint-ahead'; readonly place: string; readonly size: number; readonly treeSize: number };

/** One line for a log of the service or a terminal. */
export const faultText = (fault: TreeFault): string => {
  switch (fault.kind) {
    case 'event-differs':
      return `event ${fault.index} of the log (position ${fault.position}, ${fault.stream} revision ${fault.revision}) is not the one that the tree holds`;
    case 'log-shorter':
      return `the log ends before its tree, which has ${fault.treeSize} events`;
    case 'event-unreadable':
      return `the event at position ${fault.position} (${fault.stream} revision ${fault.revision}) cannot be read`;
    case 'checkpoint-differs':
      return `the checkpoint of ${fault.size} events at ${fault.place} has another root than the log`;
    case 'other-log':
      return `the key signed another log, ${fault.origin} with ${fault.size} events, at ${fault.place}`;
    case 'other-key':
      return `the checkpoint of ${fault.size} events at ${fault.place} was signed by another key`;
    case 'name-unreadable':
      return `the name of the log cannot be read: its file ${fault.file} is damaged`;
    case 'checkpoint-ahead':
      return `the checkpoint at ${fault.place} is of ${fault.size} events, and the log has ${fault.treeSize}`;
  }
};
