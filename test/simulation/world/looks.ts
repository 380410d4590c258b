/** What looks for due work read of open work. Its rows alone: an operator may ask for long lists of orders. */
export class Looks {
  /** The most rows that one question was answered with. */
  rowsMost = 0;
  /** The most rows by which an answer was longer than what was asked, so many of each of some lanes. */
  unaskedMost = 0;

  hear(parameters: readonly unknown[], rows: readonly unknown[]): void {
    const [first] = rows as readonly object[];
    if (first === undefined || !('due_at' in first)) return;
    this.rowsMost = Math.max(this.rowsMost, rows.length);
    const [lanes, ofEach] = parameters;
    if (typeof lanes !== 'string' || !lanes.startsWith('[')) return;
    const asked = (JSON.parse(lanes) as readonly string[]).length * Number(ofEach);
    this.unaskedMost = Math.max(this.unaskedMost, rows.length - asked);
  }
}
