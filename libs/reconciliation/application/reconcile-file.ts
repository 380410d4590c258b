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

export interface OwnOrder {
  readonly order: OrderName;
  readonly asked: readonly OwnTransaction[];
}

/** Our side of the comparison, from the read model. */
export interface OwnAttempts {
  /** Pages of the orders that may have a transaction in the period. */
  inPeriod(period: Period): AsyncIterable<readonly OwnOrder[]>;
  /** Orders with these attempt keys or gate order ids, whatever their date. */
  named(names: readonly string[]): Promise<readonly OwnOrder[]>;
}

interface EarlierFile {
  readonly name: string;
  readonly file: AsyncIterable<Uint8Array>;
}

export interface ReconcileFileSettings {
  readonly gate: string;
  readonly format: SettlementFormat;
  readonly file: AsyncIterable<Uint8Array>;
  /** Total bytes of all files, which determines the number of partitions; 0 if unknown. */
  readonly sizeBytes: number;
  readonly own: OwnAttempts;
  /** Files compared earlier. Their transactions are not missing from this file, and a line that repeats one of theirs is a duplicate. */
  readonly earlier?: readonly EarlierFile[];
  /** Replaces the span from the first to the last moment in the file. */
  readonly period?: Partial<Period>;
  /** Later requests may not be in the gate's books yet. */
  readonly settledBy: Instant;
  readonly onFinding: (finding: Finding, file: FileRead) => void | Promise<void>;
  /** A row that is not compared. Findings that it could refute are suppressed. */
  readonly onSetAside?: (row: SetAsideLine) => void;
  readonly onProgress?: (progress: ReconcileProgress) => void;
}

export interface ReconcileProgress {
  readonly stage: 'reading' | 'gathering' | 'comparing';
  readonly lines: number;
  readonly orders: number;
}

export interface ReconciledFile extends FileRead {
  /** Includes rows that were set aside. */
  readonly lines: number;
  readonly setAside: number;
  /** False if a row without an attempt could be any transaction missing from the file. */
  readonly isMissingThereSought: boolean;
  /** Undefined if the file has no line and no period was given. */
  readonly period: Period | undefined;
  readonly counts: Readonly<Record<Finding['kind'], number>>;
}

/** Maximum lines of one attempt: itself and more follow-ups than an order accepts. */
export const LINES_OF_ATTEMPT_MAX = 2_048;
const LINES_MAX = 20_000_000;
/** Bytes of the file per partition: small enough that its objects stay in the garbage collector's young generation. */
const PARTITION_BYTES = 1_048_576;
const PARTITIONS_MAX = 256;
const PARTITIONS_MIN = 16;
/** Keys in one query for orders outside the period. */
const NAMES_AT_ONCE = 200;
const MS_PER_SECOND = 1_000;
/** Line counters, each shared by the keys with these hash bits. Only a counter above the limit needs an exact count. */
const CROWDS = 65_536;

const partitionsFor = (sizeBytes: number): number =>
  Math.min(PARTITIONS_MAX, Math.max(PARTITIONS_MIN, Math.ceil(sizeBytes / PARTITION_BYTES)));

/**
 * Compares a gate's settlement file with the log. The whole file is read first, so that a fault in its last line opens no case.
 * Both sides are partitioned by attempt key into temporary files, so memory is bounded by one partition. Findings and their order are deterministic.
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

  /** @throws CsvFault if the file is refused; StoreUnavailable */
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
    // Kept as text and parsed one attempt at a time: objects for a whole partition would dominate garbage collection.
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
    // An order that changed while it was gathered occurs twice; the last version counts.
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

  /** Lines whose attempts are outside the period or not ours. "Missing there" does not apply. */
  async #compareOutside(lines: ReadonlyMap<string, readonly string[]>, unsure: ReadonlySet<string>, read: FileRead): Promise<void> {
    const { gate, own } = this.#settings;
    // Lines of earlier files come first.
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
   * Findings that no set-aside row of the same attempt could refute. Such a row may be the follow-up that differs from a line.
   * An attempt has one line, a line with our key is unambiguous, and a line without a follow-up would stay unmatched.
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

  #tell(findings: readonly Finding[], read: FileRead): Promise<void> | undefined {
    let waiting: Promise<void> | undefined;
    for (const finding of findings) {
      // Reported when the earlier file was compared.
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

/** Drops earlier files' lines if the transaction has another status here: that is no duplicate. Earlier lines come first. */
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
