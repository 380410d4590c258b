import type { streams } from '@app/event-store/stores/eventstoredb/wire';
import type { LogRecord } from './log-record';

type Expression = streams.ReadReq.Options.FilterOptions.Expression;

const DEFAULT_SEARCH_WINDOW = 32;

export interface RecordFilter {
  readonly admits: (record: LogRecord) => boolean;
  readonly searchWindow: number;
  readonly checkpointInterval: number;
}

const matcher = (expression: Expression): ((text: string) => boolean) => {
  const regex = expression.getRegex();
  if (regex !== '') {
    const pattern = new RegExp(regex);
    return (text) => pattern.test(text);
  }
  const prefixes = expression.getPrefixList();
  return (text) => prefixes.some((prefix) => text.startsWith(prefix));
};

export const recordFilter = (options: streams.ReadReq.Options.FilterOptions): RecordFilter => {
  const searchWindow = options.hasMax() ? options.getMax() : DEFAULT_SEARCH_WINDOW;
  const checkpointInterval = searchWindow * options.getCheckpointintervalmultiplier();
  const ofStream = options.getStreamIdentifier();
  const isMatch = matcher(ofStream ?? options.getEventType()!);
  const admits = (record: LogRecord): boolean => isMatch(ofStream === undefined ? record.type : record.stream);
  return { admits, searchWindow, checkpointInterval };
};
