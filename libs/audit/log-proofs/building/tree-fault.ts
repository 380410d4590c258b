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
  /** A witness has seen another log than this one, or more of it. */
  | { readonly kind: 'witness-contradicts'; readonly witness: string; readonly what: string }
  /** A signed checkpoint has another root than the tree has at its size. */
  | { readonly kind: 'checkpoint-differs'; readonly place: string; readonly size: number }
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
    case 'witness-contradicts':
      return `the witness ${fault.witness}: ${fault.what}`;
    case 'checkpoint-differs':
      return `the checkpoint of ${fault.size} events at ${fault.place} has another root than the log`;
    case 'checkpoint-ahead':
      return `the checkpoint at ${fault.place} is of ${fault.size} events, and the log has ${fault.treeSize}`;
  }
};
