import type { SettlementFormat } from '@app/gateway-adapters/contract';
import type { Instant } from '@app/kernel';
import { CsvFault } from '../csv/csv';
import {
  compareGroup,
  expectedIn,
  isAttempt,
  missingHere,
  type IsExpected,
  type Period,
  type Finding,
  groupsOf,
  type NumberedLine,
  type OrderName,
  type OwnGroup,
  type OwnTransaction,
} from '../domain/compare';
import {
  Partitions,
  spread,
  groupOfText,
  groupText,
  keyOfGroupText,
  lineOfText,
  lineText,
  originalOfLineText,
  setAsideOfText,
  setAsideText,
} from './spilled';
import { isSetAside, SettlementLines, type FileRead, type SetAsideLine } from './settlement-lines';

/** What was asked of gates for one order. */
export interface OwnOrder {
  readonly order: OrderName;
  readonly asked: readonly OwnTransaction[];
}

/** Our side: the log, as the read model has it. */
export interface OwnAttempts {
  /** Pages of the orders that may have a transaction in the period. */
  inPeriod(period: Period): AsyncIterable<readonly OwnOrder[]>;
  /** The orders that these keys of attempts, or the gate's own names of orders, name: whenever they were. */
  named(names: readonly string[]): Promise<readonly OwnOrder[]>;
}

interface EarlierFile {
  readonly name: string;
  readonly file: AsyncIterable<Uint8Array>;
}

export interface ReconcileFileSettings {
  readonly gate: string;
  readonly format: SettlementFormat;
  /** Pieces of the file. */
  readonly file: AsyncIterable<Uint8Array>;
  /** Size in bytes of the file and of the earlier ones, by which they are divided; 0 where it is not known. */
  readonly sizeBytes: number;
  readonly own: OwnAttempts;
  /** Files that were compared before: what they mention is not missing from this one, and a line that repeats one of theirs is a duplicate. */
  readonly earlier?: readonly EarlierFile[];
  /** In place of the span from the first to the last moment that the file names. */
  readonly period?: Partial<Period>;
  /** What was asked later may not be in the gate's books yet. */
  readonly settledBy: Instant;
  readonly onFinding: (finding: Finding, file: FileRead) => void | Promise<void>;
  /** A row that is not compared. No finding is made that the row could refute. */
  readonly onSetAside?: (row: SetAsideLine) => void;
  readonly onProgress?: (progress: ReconcileProgress) => void;
}

export interface ReconcileProgress {
  readonly stage: 'reading' | 'gathering' | 'comparing';
  readonly lines: number;
  readonly orders: number;
}

export interface ReconciledFile extends FileRead {
  /** Those that were set aside included. */
  readonly lines: number;
  readonly setAside: number;
  /** False if a row that names no attempt may be any of those that the file does not mention. */
  readonly isMissingThereSought: boolean;
  /** Undefined where the file has no line and no period was given. */
  readonly period: Period | undefined;
  readonly counts: Readonly<Record<Finding['kind'], number>>;
}

/** Lines that one attempt may have: itself and more follow-ups than an order takes. */
export const LINES_OF_ATTEMPT_MAX = 2_048;
/** Lines of one file. */
const LINES_MAX = 20_000_000;
/** So many bytes of a file are compared at a time: what they become fits the memory that is collected fast. */
const PARTITION_BYTES = 1_048_576;
const PARTITIONS_MAX = 256;
const PARTITIONS_MIN = 16;
/** Keys in one question for orders outside the period. */
const NAMES_AT_ONCE = 200;
const MS_PER_SECOND = 1_000;
/** Counts of lines, each of the keys that share these bits: only where one is too many somebody has to look closer. */
const CROWDS = 65_536;

const partitionsFor = (sizeBytes: number): number =>
  Math.min(PARTITIONS_MAX, Math.max(PARTITIONS_MIN, Math.ceil(sizeBytes / PARTITION_BYTES)));

/**
 * Compares a gate's settlement file with the log. The file is read to its end before anything is compared, so that a file with a fault in its last line
 * opens no case. Both sides are divided by the attempt's key over temporary files, and each part is compared by itself: memory is bounded by a part,
 * whatever the length of either. The same file against the same log gives the same findings in the same order.
 */
export class ReconcileFile {
  readonly #settings: ReconcileFileSettings;
  readonly #counts = { matched: 0, different: 0, 'missing-here': 0, 'missing-there': 0, duplicate: 0 };
  readonly #crowds = new Uint32Array(CROWDS);
  #mayBeCrowded = false;
  #lines = 0;
  #setAside = 0;
  #isUnnamedSetAside = false;
  #orders = 0;
  #first = Infinity;
  #last = -Infinity;

  constructor(settings: ReconcileFileSettings) {
    this.#settings = settings;
  }

  /** @throws CsvFault for a file that is refused; StoreUnavailable */
  async run(): Promise<ReconciledFile> {
    const count = partitionsFor(this.#settings.sizeBytes);
    const theirs = new Partitions(count);
    const ours = new Partitions(count);
    try {
      for (const earlier of this.#settings.earlier ?? []) await this.#readEarlier(theirs, earlier);
      const read = await this.#read(theirs, this.#settings.file);
      if (this.#mayBeCrowded) refuseCrowded(theirs);
      const period = this.#period();
      if (period !== undefined) await this.#gather(ours, period);
      for (let part = 0; part < count; part++) await this.#compare(theirs, ours, part, period, read);
      const isMissingThereSought = !this.#isUnnamedSetAside;
      return { ...read, lines: this.#lines, setAside: this.#setAside, isMissingThereSought, period, counts: this.#counts };
    } finally {
      theirs.close();
      ours.close();
    }
  }

  async #readEarlier(theirs: Partitions, { name, file }: EarlierFile): Promise<void> {
    try {
      await this.#read(theirs, file, name);
    } catch (error) {
      if (error instanceof CsvFault) error.earlierFile = name;
      throw error;
    }
  }

  async #read(theirs: Partitions, file: AsyncIterable<Uint8Array>, earlierFile?: string): Promise<FileRead> {
    const lines = new SettlementLines(this.#settings.format);
    for await (const bytes of file) this.#spill(theirs, lines.push(bytes), earlierFile);
    this.#spill(theirs, lines.end(), earlierFile);
    return lines.read();
  }

  #spill(theirs: Partitions, rows: readonly (NumberedLine | SetAsideLine)[], earlierFile: string | undefined): void {
    for (const row of rows) {
      const line = earlierFile === undefined ? row : { ...row, earlierFile };
      if (earlierFile === undefined && ++this.#lines > LINES_MAX)
        throw new CsvFault(line.line, undefined, `a file must have at most ${LINES_MAX} lines`);
      if (isSetAside(line)) {
        theirs.add(line.original ?? '', setAsideText(line));
        this.#isUnnamedSetAside ||= line.original === undefined;
        continue;
      }
      theirs.add(line.original, lineText(line));
      const crowd = spread(line.original) % CROWDS;
      const size = (this.#crowds[crowd] ?? 0) + 1;
      this.#crowds[crowd] = size;
      this.#mayBeCrowded ||= size > LINES_OF_ATTEMPT_MAX;
      if (earlierFile !== undefined) continue;
      this.#first = Math.min(this.#first, line.processedAt);
      this.#last = Math.max(this.#last, line.processedAt);
    }
    if (rows.length > 0) this.#progress('reading');
  }

  #period(): Period | undefined {
    const { from, before } = this.#settings.period ?? {};
    const isEmpty = this.#last < this.#first;
    if (isEmpty && (from === undefined || before === undefined)) return undefined;
    return {
      from: from ?? ((Math.floor(this.#first / MS_PER_SECOND) * MS_PER_SECOND) as Instant),
      before: before ?? (((Math.floor(this.#last / MS_PER_SECOND) + 1) * MS_PER_SECOND) as Instant),
    };
  }

  async #gather(ours: Partitions, period: Period): Promise<void> {
    const { gate, own } = this.#settings;
    for await (const page of own.inPeriod(period)) {
      for (const { order, asked } of page) {
        for (const group of groupsOf(order, asked, gate)) ours.add(keyOf(group), groupText(group));
      }
      this.#orders += page.length;
      this.#progress('gathering');
    }
  }

  async #compare(theirs: Partitions, ours: Partitions, part: number, period: Period | undefined, read: FileRead): Promise<void> {
    const isExpected = period === undefined || this.#isUnnamedSetAside ? isNeverExpected : expectedIn(period, this.#settings.settledBy);
    const unsure = new Set<string>();
    // As texts, each read when its turn comes: a part's lines all at once as objects would be most of the work of the collector.
    const lines = new Map<string, string[]>();
    for (const text of theirs.lines(part)) {
      const original = originalOfLineText(text);
      const setAside = setAsideOfText(text);
      if (setAside !== undefined) {
        if (setAside.isLaterEvent !== true) unsure.add(original);
        if (setAside.earlierFile === undefined) this.#tellSetAside(setAside);
        continue;
      }
      const group = lines.get(original);
      if (group === undefined) lines.set(original, [text]);
      else group.push(text);
    }
    // An order that moved while it was gathered comes once more: its last word counts.
    const groups = new Map<string, string>();
    for (const text of ours.lines(part)) groups.set(keyOfGroupText(text), text);
    for (const [key, text] of groups) {
      const isUnsure = this.#isUnnamedSetAside || unsure.has(key);
      const found = withoutSuperseded((lines.get(key) ?? []).map(lineOfText));
      const findings = compareGroup(groupOfText(text), found, isUnsure ? isNeverExpected : isExpected);
      const told = this.#tell(isUnsure ? this.#sure(findings) : findings, read);
      if (told !== undefined) await told;
      lines.delete(key);
    }
    await this.#compareOutside(lines, unsure, read);
    this.#progress('comparing');
  }

  /** Lines of attempts that are not among those of the period: of another time, or not ours. Here nothing is missing there. */
  async #compareOutside(lines: ReadonlyMap<string, readonly string[]>, unsure: ReadonlySet<string>, read: FileRead): Promise<void> {
    const { gate, own } = this.#settings;
    // The lines of earlier files stand first.
    const isCompared = (texts: readonly string[]): boolean => lineOfText(texts.at(-1) ?? '').earlierFile === undefined;
    const left = this.#settings.earlier === undefined ? [...lines] : [...lines].filter(([, texts]) => isCompared(texts));
    for (let from = 0; from < left.length; from += NAMES_AT_ONCE) {
      const some = left
        .slice(from, from + NAMES_AT_ONCE)
        .map(([original, texts]) => [original, withoutSuperseded(texts.map(lineOfText))] as const);
      const orders = await own.named(
        some.flatMap(([original, [line]]) => (line?.gateOrderId === undefined ? [original] : [original, line.gateOrderId])),
      );
      const groups = new Map<string, OwnGroup>();
      for (const { order, asked } of orders) {
        for (const group of groupsOf(order, asked, gate)) {
          groups.set(keyOf(group), group);
          for (const { gateOrderId } of group.transactions) if (gateOrderId !== null) groups.set(`order ${gateOrderId}`, group);
        }
      }
      for (const [original, found] of some) {
        const byKey = groups.get(original);
        const byOrder = found[0]?.gateOrderId === undefined ? undefined : groups.get(`order ${found[0].gateOrderId}`);
        const group = byKey ?? byOrder;
        const findings = group === undefined ? missingHere(found) : compareGroup(group, found, isNeverExpected);
        const isUnsure = group !== undefined && (this.#isUnnamedSetAside || unsure.has(original));
        await this.#tell(isUnsure ? this.#sure(findings) : findings, read);
      }
    }
  }

  /**
   * What holds whatever a row that is set aside says: it may be of the same attempt, and then the follow-up that differs from this line may be what that
   * row is of. An attempt has one line, a line that names its own request is of no other, and a line without a follow-up of ours gets none by a row more.
   */
  #sure(findings: readonly Finding[]): readonly Finding[] {
    return findings.filter((finding) => {
      if (finding.kind !== 'different') return true;
      const { line } = finding;
      if (isAttempt(line) || line.key !== undefined || line.earlierFile !== undefined) return true;
      this.#tellSetAside({ line: line.line, column: '', must: 'differs, and a row that is set aside may be of the same attempt' });
      return false;
    });
  }

  #tellSetAside(row: SetAsideLine): void {
    this.#setAside += 1;
    this.#settings.onSetAside?.(row);
  }

  /** Undefined where nobody has to be waited for, which is so for nearly all. */
  #tell(findings: readonly Finding[], read: FileRead): Promise<void> | undefined {
    let waiting: Promise<void> | undefined;
    for (const finding of findings) {
      // What an earlier file says was told when it was compared.
      if ('line' in finding && finding.line.earlierFile !== undefined) continue;
      this.#counts[finding.kind] += 1;
      const { onFinding } = this.#settings;
      const told = waiting === undefined ? onFinding(finding, read) : waiting.then(() => onFinding(finding, read));
      if (told !== undefined) waiting = told;
    }
    return waiting;
  }

  #progress(stage: ReconcileProgress['stage']): void {
    this.#settings.onProgress?.({ stage, lines: this.#lines, orders: this.#orders });
  }
}

const isNeverExpected: IsExpected = () => false;

/** The lines without those of earlier files whose transaction has another status now: that is no repetition. Earlier lines stand first. */
const withoutSuperseded = (lines: readonly NumberedLine[]): readonly NumberedLine[] => {
  if (lines[0]?.earlierFile === undefined) return lines;
  const isOfOne = (one: NumberedLine, other: NumberedLine): boolean =>
    isAttempt(one) ? isAttempt(other) : one.operation === other.operation && one.reference === other.reference;
  return lines.filter(
    (line) =>
      line.earlierFile === undefined ||
      !lines.some((other) => other.earlierFile === undefined && isOfOne(line, other) && other.status !== line.status),
  );
};

const keyOf = ({ transactions }: OwnGroup): string => transactions[0]?.original ?? '';

/** Before anything is compared, as with any other fault. @throws CsvFault */
const refuseCrowded = (theirs: Partitions): void => {
  for (let part = 0; part < theirs.count; part++) {
    const counts = new Map<string, number>();
    for (const text of theirs.lines(part)) {
      if (setAsideOfText(text) !== undefined) continue;
      const original = originalOfLineText(text);
      const count = (counts.get(original) ?? 0) + 1;
      counts.set(original, count);
      if (count > LINES_OF_ATTEMPT_MAX)
        throw new CsvFault(lineOfText(text).line, undefined, `more than ${LINES_OF_ATTEMPT_MAX} lines are of one attempt`);
    }
  }
};
